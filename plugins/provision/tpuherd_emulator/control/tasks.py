"""The `cloud.*` tasks that move time, and that set how much there is."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.tasks.command import command
from tpuherd_emulator.control.finding import number, running

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd_emulator.control.client import Control


@command(positional=["seconds"], help={"seconds": "How much time is to pass.", "json": "Print JSON."})
def tick(_context: Context, seconds: str, json: bool = False) -> None:
    """Let emulated time pass at once; all that is due in it has happened at the end."""
    with running() as control:
        _show_time(asdict(control.tick(number(seconds, "SECONDS"))), json=json)


@command(
    positional=["factor"],
    help={
        "factor": "Emulated seconds per real second; 0: time stands still until a tick.",
        "json": "Print JSON.",
    },
)
def speed(_context: Context, factor: str, json: bool = False) -> None:
    """Let emulated time pass faster, slower, or not at all."""
    with running() as control:
        _show_time(asdict(control.speed(number(factor, "FACTOR"))), json=json)


LIMIT = {
    "place": "Zone or region.",
    "chips": "How many chips; none: no limit any more.",
    "generation": "Only of this generation, for example v5e.",
    "market": "Only of this market: on-demand, spot or reserved.",
    "json": "Print JSON.",
}


@command(positional=["place", "chips"], help=LIMIT)
def capacity(
    _context: Context,
    place: str,
    chips: str,
    generation: str = "",
    market: str = "",
    json: bool = False,
) -> None:
    """Set how many chips a zone or region of the emulated cloud has."""
    with running() as control:
        control.capacity(place, _chips(chips), generation=generation, market=market)
        _show_limits(control, json=json)


@command(positional=["place", "chips"], help=LIMIT)
def quota(
    _context: Context,
    place: str,
    chips: str,
    generation: str = "",
    market: str = "",
    json: bool = False,
) -> None:
    """Set how many chips the project may have in the emulated cloud."""
    with running() as control:
        control.quota(place, _chips(chips), generation=generation, market=market)
        _show_limits(control, json=json)


@command(help={"json": "Print JSON."})
def limits(_context: Context, json: bool = False) -> None:
    """List the limits of the emulated cloud, and what of them is used."""
    with running() as control:
        _show_limits(control, json=json)


@command(positional=["file"], help={"file": "The scenario, a YAML file.", "json": "Print JSON."})
def scenario(_context: Context, file: str, json: bool = False) -> None:
    """Begin a scenario in the emulated cloud that runs; its times count from now."""
    from pathlib import Path

    from tpuherd.output.tables import print_json

    with running() as control:
        control.scenario(Path(file).expanduser())
        if json:
            print_json({"scenario": file, "now_s": control.time().now_s})
        else:
            sys.stdout.write(f"{file} has begun\n")


TASKS = (tick, speed, capacity, quota, limits, scenario)


def _show_time(state: dict[str, float], *, json: bool) -> None:
    from tpuherd.output.tables import print_json

    if json:
        print_json(state)
    else:
        sys.stdout.write(f"{state['now_s']:.1f} s since the start, speed {state['speed']:g}\n")


def _show_limits(control: Control, *, json: bool) -> None:
    from tpuherd.output.tables import print_json, print_table

    rows = control.limits()
    if json:
        print_json([asdict(row) for row in rows])
        return
    table = [(r.limit, r.place, r.generation or "all", r.market or "all", r.chips, r.used) for r in rows]
    print_table(("limit", "place", "generation", "market", "chips", "used"), table)


def _chips(text: str) -> int | None:
    return None if text == "none" else int(number(text, "CHIPS"))
