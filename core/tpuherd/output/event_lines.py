"""Events of a job: which of them to show, and how."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tpuherd.engine.tenure import local_time
from tpuherd.monitoring.event_stream import stream
from tpuherd.output.tables import print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tpuherd.model.event import Event
    from tpuherd.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class EventChoice:
    """Which events to show."""

    kind: str = ""
    """Empty: all."""
    since: float | None = None
    """Only those of this moment, in seconds since the epoch, or later."""

    def shows(self, event: Event) -> bool:
        """True if the event is to be shown."""
        return self.kind in {"", event.kind} and (self.since is None or event.at >= self.since)


def follow(store: Store, job_id: str, choice: EventChoice, show: Callable[[Event], None]) -> None:
    """Show the events of a job as they come, until it has ended.

    Raises:
        StateError: the job was deleted meanwhile.
    """
    for event in stream(store, job_id):
        if choice.shows(event):
            show(event)


def show_line(event: Event) -> None:
    """Write one event for people; of a long text the first line."""
    text = event.text.partition("\n")[0]
    sys.stdout.write(f"{local_time(event.at)}  {event.attempt:>3}  {event.kind:<17} {text}\n")
    sys.stdout.flush()


def show_json(event: Event) -> None:
    """Write one event as a JSON object on one line."""
    sys.stdout.write(json.dumps(asdict(event)) + "\n")
    sys.stdout.flush()


def print_all(events: Sequence[Event]) -> None:
    """Print events as a table."""
    rows = [(local_time(event.at), event.attempt, event.kind, event.text) for event in events]
    print_table(("when", "attempt", "event", ""), rows)


def print_all_json(events: Sequence[Event]) -> None:
    """Print events as one JSON array."""
    print_json([asdict(event) for event in events])
