"""The `cloud.*` tasks that make things go wrong."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.tasks.command import command
from tpuherd_emulator.control.finding import number, running

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd_emulator.faults.fault import Fault

FAULT = {
    "name": "Which fault; `cloud.faults --known` lists them.",
    "zone": "Only in zones like this; * and ? stand for others.",
    "type": "Only for accelerator types like this.",
    "node": "Only for nodes or queued resources with an id like this.",
    "method": "Only for API methods like this, for example Create*.",
    "worker": "Only this worker of a node; default: all.",
    "rate": "Probability that it strikes what matches, 0 to 1.",
    "count": "How often it strikes; 0: until it is cleared, or once all that is there.",
    "after_s": "When it happens: seconds from now, or after a node is READY.",
    "delay_s": "How long it lasts, or how much longer things take, in seconds.",
    "notice_s": "Seconds between a notice and what it announces.",
    "code": "Status code of an answer, for example UNAVAILABLE.",
    "text": "Text of an answer, or a description.",
    "value": "Variant of the fault, for example UNKNOWN for repairing.",
    "json": "Print JSON.",
}


@command(positional=["name"], help=FAULT)
def fault(
    _context: Context,
    name: str,
    zone: str = "*",
    type: str = "*",  # noqa: A002 - the option's name
    node: str = "*",
    method: str = "*",
    worker: str = "",
    rate: float = 1.0,
    count: int = 0,
    after_s: float = 0.0,
    delay_s: float = 0.0,
    notice_s: float = 0.0,
    code: str = "UNAVAILABLE",
    text: str = "",
    value: str = "",
    json: bool = False,
) -> None:
    """Let something go wrong in the emulated cloud, now or when it meets something."""
    with running() as control:
        begun = control.fault(
            name,
            zone=zone,
            accelerator=type,
            node=node,
            method=method,
            worker=_worker(worker),
            rate=rate,
            count=count or None,
            after_s=after_s,
            delay_s=delay_s,
            notice_s=notice_s,
            code=code,
            text=text,
            value=value,
        )
    _show_fault(begun, json=json)


@command(
    help={"clear": "Forget all of them.", "known": "List the sorts of faults instead.", "json": "Print JSON."}
)
def faults(_context: Context, clear: bool = False, known: bool = False, json: bool = False) -> None:
    """List the faults that wait for something to strike."""
    from tpuherd.output.tables import print_json, print_table
    from tpuherd_emulator.faults.kinds import KINDS

    if known:
        rows = [(kind.name, kind.strikes.value, kind.help, ", ".join(kind.values)) for kind in KINDS.values()]
        columns = ("fault", "strikes", "what", "values")
        if json:
            print_json([dict(zip(columns, row, strict=True)) for row in rows])
        else:
            print_table(columns, rows)
        return
    with running() as control:
        waiting = control.faults()
        if clear:
            control.clear()
    if json:
        print_json([asdict(found) for found in waiting])
        return
    table = [(f.id, f.kind, f.zone, f.accelerator, f.node, f.rate, f.count, _more(f)) for f in waiting]
    print_table(("id", "fault", "zone", "type", "node", "rate", "count", ""), table)
    if clear:
        sys.stdout.write(f"cleared {len(waiting)}\n")


@command(
    positional=["node"],
    help={
        "node": "Id of the node; * and ? stand for others.",
        "zone": FAULT["zone"],
        "notice_s": "Seconds between the notice and the end; 0: no notice.",
        "json": "Print JSON.",
    },
)
def preempt(
    _context: Context, node: str, zone: str = "*", notice_s: float = 30.0, json: bool = False
) -> None:
    """Preempt a node of the emulated cloud, by default with the real notice of 30 s."""
    with running() as control:
        begun = control.preempt(node, notice_s, zone=zone)
    _show_fault(begun, json=json)


TASKS = (fault, faults, preempt)


def _show_fault(begun: Fault, *, json: bool) -> None:
    from tpuherd.output.tables import print_json

    if json:
        print_json(asdict(begun))
    elif begun.id:
        sys.stdout.write(f"fault {begun.id}, {begun.kind}, waits for something to strike\n")
    else:
        sys.stdout.write(f"{begun.kind} has begun\n")


def _more(waiting: Fault) -> str:
    parts = {"method": waiting.method, "value": waiting.value, "text": waiting.text}
    spans = {name: getattr(waiting, name) for name in ("after_s", "delay_s", "notice_s")}
    return " ".join(
        f"{name}={value}" for name, value in (parts | spans).items() if value not in ("*", "", 0.0)
    )


def _worker(text: str) -> int | None:
    return int(number(text, "--worker")) if text else None
