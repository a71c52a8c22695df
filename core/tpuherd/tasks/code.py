"""Tasks about the code that attempts ran."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError, StateError
from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.code.difference import Difference
    from tpuherd.model.outcome import SyncedCode


@command(
    words="job",
    help={
        "job": "A job: its id, the start of its id, or its name; with :N for attempt N, default: the newest. "
        "A second one is compared with the first.",
        "stat": "Only how many lines of which files.",
        "json": "Print JSON: what ran, and the files that differ.",
    },
)
def diff(_context: Context, job: list[str], stat: bool = False, json: bool = False) -> None:
    """Show what code an attempt ran: its commit, and what had been changed; or how two attempts differ."""
    from tpuherd.code.difference import against_commit, between
    from tpuherd.output.tables import print_json

    if not 1 <= len(job) <= 2:
        raise ConfigError("which job? `tpuherd code.diff JOB`, or `tpuherd code.diff JOB OTHER`")
    codes = [_code(word) for word in job]
    found = between(*codes) if len(codes) == 2 else against_commit(codes[0])
    if json:
        print_json(_as_json(job, codes, found))
        return
    for word, code in zip(job, codes, strict=True):
        sys.stderr.write(f"{word}: {_in_words(code)}\n")
    if found is None:
        sys.stderr.write("no difference\n")
        return
    sys.stdout.write(found.stat() if stat else found.patch())


def _code(word: str) -> SyncedCode:
    """The code of an attempt.

    Raises:
        ConfigError: what follows the colon is no number.
        StateError: that attempt got no code.
    """
    from tpuherd.engine.recorder import recorded
    from tpuherd.engine.stages import Stage

    name, _, number = word.partition(":")
    if number and not number.isdecimal():
        raise ConfigError(f"{word}: after the colon comes the number of an attempt")
    record = opening.find_job(name)
    attempt = int(number or record.attempt)
    code: SyncedCode | None = recorded(opening.store().stages, record.id, attempt, Stage.SYNC_CODE)
    if code is None or not code.snapshot:
        raise StateError(f"job {record.id}: no code was sent for attempt {attempt}")
    return code


def _in_words(code: SyncedCode) -> str:
    commit = (
        f", commit {code.commit}{' with changes' if code.dirty else ''}" if code.commit else ", no commit"
    )
    return f"snapshot {code.snapshot}{commit}"


def _as_json(words: list[str], codes: list[SyncedCode], found: Difference | None) -> dict[str, object]:
    ran = [{"job": word, **asdict(code)} for word, code in zip(words, codes, strict=True)]
    return {"ran": ran, "files": [asdict(file) for file in (found.files() if found else [])]}
