"""The task that goes on with a job that has failed, or says what would be done."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from invoke.exceptions import Exit

from tpuherd.errors import ConfigError
from tpuherd.tasks import opening, policies
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.engine.reviving import Considered
    from tpuherd.model.failure import Recovery
    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord

ACTIONS = "restart, clean, replace, move (with --zone) or rerun"


@command(
    positional=["job"],
    help={
        "job": "A job: its id, the start of its id, or its name.",
        "dry_run": "Only say what would be done now, and why.",
        "action": f"What to do, whatever the policy says: {ACTIONS}.",
        "zone": "Where to move to, with --action move.",
        "on_interrupt": "What Ctrl-C means: ask, cancel, or detach.",
        "json": "Print JSON; logs and progress then go to standard error.",
    },
)
def recover(
    _context: Context,
    job: str,
    dry_run: bool = False,
    action: str = "",
    zone: str = "",
    on_interrupt: str = "ask",
    json: bool = False,
) -> None:
    """Go on with a job that has failed, as its policy says now or as you say; a new attempt begins.

    With --dry-run nothing is changed: it prints the class of the failure, the evidence, and the decision.
    """
    from tpuherd.output.reporter import Reporter

    by_hand = _by_hand(action, zone)
    record = opening.find_job(job)
    reporter = Reporter(logs=sys.stderr if json else None)
    if dry_run:
        _preview(record, reporter, by_hand, json=json)
        return
    _carry_out(record, reporter, by_hand, on_interrupt, json=json)


def _by_hand(action: str, zone: str) -> Recovery | None:
    """The recovery that `--action` means; `None` without one."""
    from tpuherd.config.choices import nearest
    from tpuherd.model import failure

    reason = "asked for with --action"
    kinds: dict[str, Any] = {
        "restart": failure.RestartInPlace,
        "clean": failure.CleanAndRestart,
        "replace": failure.ReplaceSlice,
        "rerun": failure.RerunFromScratch,
    }
    if action and action not in {*kinds, "move"}:
        raise ConfigError(f"--action={action}: {nearest(action, [*kinds, 'move'])}")
    if bool(zone) != (action == "move"):
        raise ConfigError("--zone and --action move go together: where to move to, and that it is done")
    if action == "move":
        return failure.MoveZone(reason=reason, zone=_zone(zone))
    made: Recovery | None = kinds[action](reason=reason) if action else None
    return made


def _zone(zone: str) -> str:
    from tpuherd.config.choices import nearest
    from tpuherd.zones import KNOWN

    if not re.fullmatch(r"[a-z]+(-[a-z]+)*\d+-[a-z0-9]+", zone):
        raise ConfigError(f"--zone={zone}: that is no zone; {nearest(zone, sorted(KNOWN))}")
    return zone


def _preview(record: JobRecord, reporter: Reporter, by_hand: Recovery | None, *, json: bool) -> None:
    from tpuherd.engine.opening import open_hooks, open_session
    from tpuherd.engine.reviving import consider
    from tpuherd.output.tables import print_json, print_table
    from tpuherd.tasks.loaded import manager

    store, hooks = opening.store(), open_hooks(manager(), record)
    session = open_session(store, hooks, record, reporter)
    try:
        told = _told(record, consider(store, hooks, record, session), by_hand, hooks.spec.recovery.policy)
    finally:
        session.close()
    if json:
        print_json(told)
        return
    rows = [(key, "\n".join(value) if isinstance(value, list) else value) for key, value in told.items()]
    print_table(("", ""), rows)


def _told(record: JobRecord, found: Considered, by_hand: Recovery | None, policy: str) -> dict[str, Any]:
    recovery = by_hand or found.recovery
    return {
        "job": record.id,
        "attempt": record.attempt,
        "class": found.diagnosis.failure.value,
        "evidence": list(found.diagnosis.evidence),
        "policy": policy,
        "action": type(recovery).__name__,
        "reason": recovery.reason,
        "delay_s": getattr(recovery, "delay_s", 0.0),
        "zone": getattr(recovery, "zone", None),
        "decided": found.decided,
    }


def _carry_out(
    record: JobRecord, reporter: Reporter, by_hand: Recovery | None, on_interrupt: str, *, json: bool
) -> None:
    from tpuherd.engine.reviving import revive
    from tpuherd.output.summary import print_summary

    opening.require_undriven(record)
    control = opening.controller(record, reporter, opening.on_interrupt(on_interrupt))
    outcome = control.drive(lambda engine: revive(control, engine, by_hand), goes_on=True)
    print_summary(opening.store(), record, outcome, json=json)
    if outcome.exit_code:
        raise Exit(code=outcome.exit_code)


TASKS = (recover, policies.policies)
