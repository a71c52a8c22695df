"""What the work has noted, and what must be true of it whatever happened around it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One line of the ledger."""

    attempt: int
    worker: int
    pid: int
    word: str
    number: int


def read(path: Path) -> list[Note]:
    """All lines in the order in which they were written; none if there is no ledger yet."""
    return [_note(line) for line in path.read_text().splitlines()] if path.exists() else []


def _note(line: str) -> Note:
    attempt, worker, pid, word, number = line.split()
    return Note(attempt=int(attempt), worker=int(worker), pid=int(pid), word=word, number=int(number))


def furthest(notes: Sequence[Note]) -> int:
    """The highest step of any worker."""
    return max((note.number for note in notes if note.word == "step"), default=0)


def violations(notes: Sequence[Note]) -> list[str]:
    """What was broken of the promises that hold for each job, however it ends."""
    return [*_started_twice(notes), *_overlapping(notes), *_out_of_order(notes), *_repeated(notes)]


def unfinished(notes: Sequence[Note], workers: int, steps: int) -> list[str]:
    """What a job that has succeeded has left out."""
    return [text for worker in range(workers) for text in _left_out(notes, worker, steps)]


def _started_twice(notes: Sequence[Note]) -> Iterator[str]:
    """The work is started once per attempt and worker, and nobody else speaks in its name."""
    starts = Counter((note.attempt, note.worker) for note in notes if note.word == "start")
    for (attempt, worker), times in starts.items():
        if times > 1:
            yield f"attempt {attempt} was started {times} times on worker {worker}"
    voices = {(note.attempt, note.worker, note.pid) for note in notes}
    if len(voices) > len(starts):
        yield f"{len(voices)} processes have written for {len(starts)} starts"


def _overlapping(notes: Sequence[Note]) -> Iterator[str]:
    """Once an attempt has begun anywhere, nothing of an earlier one goes on."""
    newest = 0
    for number, note in enumerate(notes, start=1):
        if note.attempt < newest:
            yield f"line {number}: attempt {note.attempt} goes on ({note.word} {note.number}) beside {newest}"
        newest = max(newest, note.attempt)


def _out_of_order(notes: Sequence[Note]) -> Iterator[str]:
    """From where it started, each step once and in order."""
    at: dict[tuple[int, int], int] = {}
    for note in notes:
        key = (note.attempt, note.worker)
        if note.word == "step" and note.number != at.get(key, -1) + 1:
            yield f"attempt {note.attempt}, worker {note.worker}: step {note.number} follows {at.get(key)}"
        if note.word in {"start", "step"}:
            at[key] = note.number


def _repeated(notes: Sequence[Note]) -> Iterator[str]:
    """No step that was checkpointed is done again."""
    saved: dict[int, int] = {}
    for note in notes:
        done = saved.get(note.worker, 0)
        if note.word == "step" and note.number <= done:
            yield f"attempt {note.attempt}, worker {note.worker}: step {note.number} again, {done} was saved"
        if note.word == "saved":
            saved[note.worker] = max(done, note.number)


def _left_out(notes: Sequence[Note], worker: int, steps: int) -> Iterator[str]:
    mine = [note for note in notes if note.worker == worker]
    done = {note.number for note in mine if note.word == "step"}
    missing = set(range(1, steps + 1)) - done
    if missing:
        yield f"worker {worker}: steps {sorted(missing)} were never done"
    last = max((note.attempt for note in notes), default=0)
    ends = [note.attempt for note in mine if note.word == "end"]
    if ends.count(last) != 1:
        yield f"worker {worker}: it has ended in attempts {ends}, and the last one was {last}"
