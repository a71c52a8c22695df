"""The `code` section of the job file."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from tpuherd.config.sections import Section, expecting, wrong

Editable = Annotated[bool | tuple[str, ...], expecting("true, false, or a list of folders in the code")]


class CodeSection(Section):
    """How the code gets to the workers."""

    sync: str = Field("none", description="Plugin that sends the code, for example none or worktree.")
    path: str = Field(".", description="The code's folder, from the job file's folder.")
    editable: Editable = Field(
        False,
        description="Projects in the code that Python imports from the snapshot, whatever is installed: true "
        "for the code's folder itself, or a list of folders in it; of each, `src` if it has one.",
    )
    keep_snapshots: int = Field(
        5, ge=1, description="How many snapshots stay on each worker; one that is in use always does."
    )

    @field_validator("editable")
    @classmethod
    def _inside_the_code(cls, value: Editable) -> Editable:
        for folder in () if isinstance(value, bool) else value:
            if folder.startswith("/") or ".." in folder.split("/") or ":" in folder or not folder:
                raise wrong(f"{folder!r} is no folder in the code; write it as seen from the code's folder")
        return value
