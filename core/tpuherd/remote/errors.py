"""Why a worker could not be used."""

from __future__ import annotations

from tpuherd.errors import RemoteError


class UnreachableError(RemoteError):
    """A worker could not be reached: nothing was started on it. Trying again may help."""


class HostKeyChangedError(UnreachableError):
    """A worker shows another host key than before. Trying again does not help."""
