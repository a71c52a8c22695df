"""When a worker that is not heard counts as lost."""

from __future__ import annotations

LOST_AFTER_S = 9.0
"""A worker that says nothing for this long is given up: known within 10 s on a busy machine."""
GONE_AFTER_S = 1.0
"""The same for one whose slice is gone by the word of the control plane."""
OFFLINE_AFTER_S = 300.0
"""The same if nobody at all is heard, not even the control plane: then it is this machine that is cut off."""


def patience_s(*, slice_gone: bool, offline: bool) -> float:
    """How long a worker's silence is borne.

    Args:
        slice_gone: the control plane says that its slice is gone.
        offline: no other worker is heard, and the control plane, which was asked, does not answer.
    """
    if slice_gone:
        return GONE_AFTER_S
    return OFFLINE_AFTER_S if offline else LOST_AFTER_S
