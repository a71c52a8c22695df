"""What may be changed: one's own TPUs that nothing uses, unless the user insists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tpuherd.fleet.knowledge import Knowledge
    from tpuherd.fleet.tpu import Tpu


def foreign(tpus: Iterable[Tpu], known: Knowledge) -> list[Tpu]:
    """Those that another user made, or that were not made with tpuherd, whatever their names."""
    return [tpu for tpu in tpus if not known.is_mine(tpu)]


def require_allowed(tpus: Sequence[Tpu], known: Knowledge, *, force: bool, insists: bool) -> None:
    """Refuse to change what is not the user's, is reserved, or is used by a job.

    Args:
        tpus: what would be changed.
        known: what the store knows.
        force: the user knows that it is not to be changed.
        insists: the user has answered the question already (`--yes`): without it, foreign ones stay.

    Raises:
        StateError: they are named, and what would help.
    """
    others = foreign(tpus, known)
    if others and not (force and insists):
        raise StateError(f"not yours: {_named(others)}; nothing was changed. Only --force --yes changes them")
    if not force:
        _require_unused(tpus, known)


def require_mine(tpus: Sequence[Tpu], known: Knowledge) -> None:
    """Refuse to make again what the user did not make.

    Raises:
        StateError: it is not the user's, or a job uses it.
    """
    others = foreign(tpus, known)
    if others:
        raise StateError(f"not yours: {_named(others)}; nothing was changed")
    _require_unused(tpus, known)


def _require_unused(tpus: Iterable[Tpu], known: Knowledge) -> None:
    for tpu in tpus:
        if known.held_by_another(tpu):
            raise StateError(f"{known.hold_on(tpu)}; nothing was changed. Ask them, or add --force")
        if tpu.place in known.claims:
            user = known.job_on(tpu)
            raise StateError(f"job {user} uses {tpu.place}: `tpuherd cancel {user}` ends it")
        if known.job_state(tpu) in {"live", "paused"}:
            raise StateError(
                f"{tpu.place} belongs to live job {tpu.job}: `tpuherd cancel {tpu.job}` ends both"
            )
        if known.in_use(tpu):
            raise StateError(
                f"{tpu.place} belongs to job {tpu.job}, which this store does not know: `tpuherd gc` says "
                "more, --force does it anyway"
            )


def _named(tpus: Iterable[Tpu]) -> str:
    return ", ".join(f"{tpu.place} ({tpu.owner or 'made without tpuherd'})" for tpu in tpus)
