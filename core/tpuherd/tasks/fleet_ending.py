"""Ending fleets and forgetting them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd.errors import StateError
from tpuherd.tasks import opening

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord


def cancel(members: Sequence[JobRecord], *, json: bool) -> None:
    """Stop all members at once, and wait until the slices of all are given back."""
    from tpuherd.members.following import worst
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    reporter, fleet = Reporter(), str(members[0].fleet)
    ended = _cancelled(members, reporter)
    for record in ended:
        reporter.note(f"job {record.id} is {record.state.value}")
    if json:
        states = {record.id: record.state.value for record in ended}
        print_json({"fleet": fleet, "members": states})
    failed = [one for one, before in zip(ended, members, strict=True) if _has_failed(one, before)]
    for record in failed:
        reporter.problem(f"{record.id}: {record.message}")
    if failed:
        raise Exit(code=worst(failed))


def delete(members: Sequence[JobRecord], *, force: bool, json: bool) -> None:
    """Forget all members, their logs and results included; what they hold is given back first.

    Raises:
        StateError: some are live, and that is not to be ended by force.
    """
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.tasks.ending import forget

    fleet, reporter = str(members[0].fleet), Reporter()
    live = [record for record in members if not record.state.ended]
    if live and not force:
        raise StateError(
            f"{len(live)} members of fleet {fleet} are live: `tpuherd cancel {fleet}` first, or add --force"
        )
    for record in _cancelled(members, reporter):
        forget(record, reporter)
    if json:
        print_json({"fleet": fleet, "deleted": True})


def _cancelled(members: Sequence[JobRecord], reporter: Reporter) -> list[JobRecord]:
    """Whoever drives them ends them; for those that nobody drives the supervisor is started."""
    from tpuherd.engine.interrupts import OnInterrupt
    from tpuherd.members.following import Following, want_cancelled

    store, fleet = opening.store(), str(members[0].fleet)
    want_cancelled(store, members)
    following = Following(store, fleet, reporter, OnInterrupt.DETACH)
    return following.to_end(lambda _: None)


def _has_failed(now: JobRecord, before: JobRecord) -> bool:
    return now.state.value == "failed" and not before.state.ended
