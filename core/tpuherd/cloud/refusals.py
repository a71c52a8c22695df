"""What a refusal of the TPU API means, and for how much of the cloud: told by code, details and text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tpuherd.errors import ProvisionError


class Refusal(Enum):
    """Why the cloud does not deliver."""

    STOCKOUT = "no capacity"
    QUOTA = "quota"
    PERMISSION = "permission"
    AUTHENTICATION = "authentication"
    BAD_REQUEST = "bad request"
    CONFLICT = "name taken"
    API_DOWN = "API down"
    UNKNOWN = "unknown"


class Scope(Enum):
    """For how much of the cloud a refusal holds."""

    ZONE = "zone"
    REGION = "region"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A refusal and its scope."""

    refusal: Refusal
    scope: Scope

    @property
    def permanent(self) -> bool:
        """True if it would be the same at another time."""
        return self.refusal in PERMANENT

    @property
    def hopeless(self) -> bool:
        """True if it would be the same at another time and in every other zone."""
        return self.permanent and self.scope is Scope.PROJECT


PERMANENT = frozenset({Refusal.PERMISSION, Refusal.AUTHENTICATION, Refusal.BAD_REQUEST, Refusal.CONFLICT})
"""What waiting does not change."""

FIXES: dict[tuple[Refusal, Scope], str] = {
    (Refusal.STOCKOUT, Scope.ZONE): (
        "no capacity: name more zones in `tpu.zones`, or wait for it with `tpu.wait_for_capacity: true`"
    ),
    (Refusal.QUOTA, Scope.ZONE): (
        "ask for more quota in this zone, or name zones or accelerators that there is quota for "
        "(`tpu.zones`, `tpu.accelerators`)"
    ),
    (Refusal.QUOTA, Scope.REGION): (
        "ask for more quota in this region, or name zones of other regions, or accelerators, that there is "
        "quota for (`tpu.zones`, `tpu.accelerators`)"
    ),
    (Refusal.PERMISSION, Scope.ZONE): "correct `tpu.zone`, or ask for access to that zone",
    (Refusal.PERMISSION, Scope.PROJECT): (
        "check `gcloud auth application-default login`, `tpu.project`, and roles/tpu.admin"
    ),
    (Refusal.AUTHENTICATION, Scope.PROJECT): "log in with `gcloud auth application-default login`",
    (Refusal.BAD_REQUEST, Scope.PROJECT): "correct the `tpu` section of the job file",
    (Refusal.BAD_REQUEST, Scope.ZONE): "choose what this zone has, or another `tpu.zone`",
    (Refusal.CONFLICT, Scope.PROJECT): "choose another `tpu.name`",
    (Refusal.API_DOWN, Scope.PROJECT): "the TPU API does not answer: try again later",
}
"""What a user can do about it."""


class CloudRefused(ProvisionError):
    """The cloud has said no, and what that means is known as far as it can be."""

    def __init__(self, text: str, meaning: Meaning) -> None:
        """Keep the meaning; the message ends with what to do about it."""
        fix = FIXES.get((meaning.refusal, meaning.scope), "")
        super().__init__(f"{text}\n{fix}" if fix else text)
        self.text = text
        """The message without the advice."""
        self.fix = fix
        self.meaning = meaning

    @property
    def refusal(self) -> Refusal:
        """Why."""
        return self.meaning.refusal

    @property
    def scope(self) -> Scope:
        """For how much of the cloud."""
        return self.meaning.scope

    @property
    def unanswered(self) -> bool:
        """True if it is not known whether the request has had an effect."""
        return self.refusal is Refusal.API_DOWN
