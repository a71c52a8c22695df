"""The `git` section of the job file."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from tpuherd.config.sections import Section, wrong


class GitSection(Section):
    """Which commit of which repository, and who fetches it."""

    url: str | None = Field(
        None, min_length=1, description="Address of the repository, or of a fork of it, as for git clone."
    )
    path: str | None = Field(
        None, min_length=1, description="A repository on this machine, from the job file's folder."
    )
    ref: str = Field(
        "HEAD", description="A branch, a tag, a commit, or a pull request as pull/123; HEAD: its main branch."
    )
    fetch_on: Literal["controller", "workers"] = Field(
        "controller",
        description="Who fetches: this machine, which then sends the files, or each worker for itself.",
    )
    depth: int | None = Field(None, ge=1, description="How many commits of history to fetch; default: all.")
    timeout_s: float = Field(600.0, gt=0, description="Longest fetch, in seconds.")

    @model_validator(mode="after")
    def _one_source(self) -> GitSection:
        if (self.url is None) == (self.path is None):
            raise wrong("write either url or path")
        if self.path is not None and self.fetch_on == "workers":
            raise wrong("workers cannot fetch a path of this machine: write url, or fetch_on: controller")
        return self

    @field_validator("url")
    @classmethod
    def _no_secret_no_option(cls, value: str | None) -> str | None:
        if value and re.match(r"[a-z+]+://[^/@]*:[^/@]+@", value):
            raise wrong("there is a password in the address; leave it to git's credential helper")
        if value and (value.startswith("-") or "::" in value.split("/")[0]):
            raise wrong("this is no address of a repository")
        return value

    @field_validator("ref")
    @classmethod
    def _is_ref(cls, value: str) -> str:
        if not re.fullmatch(r"[^-\s:~^?*\[\\][^\s:~^?*\[\\]*", value) or ".." in value:
            raise wrong(f"{value!r} is no name of a branch, tag, commit or pull request")
        return value

    @property
    def refspec(self) -> str:
        """What the origin calls it: `pull/123` is `refs/pull/123/head`."""
        pull = re.fullmatch(r"(?:refs/)?(pull/\d+)(?:/head)?", self.ref)
        return f"refs/{pull[1]}/head" if pull else self.ref
