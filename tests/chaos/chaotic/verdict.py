"""Whether all promises were kept, by what can be seen from outside."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from chaotic import ledger, processes
from chaotic.controllers import Controllers
from chaotic.kinds import SPARES_THE_SLICE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chaotic.playing import Played
    from chaotic.site import Row, Site

MAY_LEAVE = frozenset({"full-disk", "second-controller", "usurper", "cancel"})
"""After these a controller may go away though the job is live: it cannot write, or another one drives it."""
SETTLE_S = 60.0


def violations(site: Site, played: Played) -> list[str]:
    """All promises that were broken, in words; none is what everybody hopes for."""
    row = played.row
    if row is None or played.stuck:
        return [f"the job did not end: {row}", *_store(site), *ledger.violations(played.notes)]
    return [
        *_end(played, row),
        *_work(played, row),
        *_logs(site, played, row),
        *_slices(site, played),
        *_processes(row),
        *_controllers(played),
        *_store(site),
        *_commands(site, row),
    ]


def _end(played: Played, row: Row) -> Iterator[str]:
    """The state that the policy demands: what does not last is survived, what is wrong is not repeated."""
    wanted = {("failed", 8)} if played.plan.shape.fails_at else {("succeeded", 0)}
    if played.cancelled:
        wanted |= {("cancelled", 130)}
    if (row.state, row.exit_code) not in wanted:
        yield f"it has {row.state} with {row.exit_code}, not {wanted}: {row.message[-500:]}"
    if played.plan.kinds <= SPARES_THE_SLICE and row.attempt != 1:
        yield f"nothing had happened to its slices, and it took {row.attempt} attempts"


def _work(played: Played, row: Row) -> Iterator[str]:
    shape = played.plan.shape
    yield from ledger.violations(played.notes)
    if row.state == "succeeded":
        yield from ledger.unfinished(played.notes, shape.workers, shape.steps)
    wrong = [note for note in played.notes if note.word == "wrong"]
    if row.state == "failed" and shape.fails_at and not wrong:
        yield "it has failed before its work did"
    if played.notes and max(note.attempt for note in played.notes) > row.attempt:
        yield f"the store knows of {row.attempt} attempts, and a later one has run"


def _logs(site: Site, played: Played, row: Row) -> Iterator[str]:
    """What was kept of the logs is what was printed, from its beginning and without a gap."""
    printed: dict[tuple[int, int], list[str]] = {}
    for note in played.notes:
        if note.word == "step":
            printed.setdefault((note.attempt, note.worker), []).append(f"step {note.number}")
    for attempt in range(1, row.attempt + 1):
        for worker in range(played.plan.shape.workers):
            kept = _kept(site, row, attempt, worker)
            told = printed.get((attempt, worker), [])
            whole = row.state == "succeeded" and attempt == row.attempt
            if kept != (told if whole else told[: len(kept)]):
                yield f"attempt {attempt}, worker {worker} printed {told}, and the log has {kept}"


def _kept(site: Site, row: Row, attempt: int, worker: int) -> list[str]:
    path = site.home / "jobs" / row.id / f"attempt-{attempt}" / f"worker-{worker}.log"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.rstrip(" .") for line in lines if line.startswith("step")]


def _slices(site: Site, played: Played) -> Iterator[str]:
    """None is left, and there was never more than one."""
    if left := site.nodes():
        yield f"slices are left: {sorted(left)}"
    if queued := _queued(site):
        yield f"queued resources are left: {queued}"
    if played.most_nodes > 1:
        yield f"it had {played.most_nodes} slices at a time"


def _queued(site: Site) -> list[str]:
    from tpuherd.cloud.client import TpuApi
    from tpuherd_emulator.joining import to_cloud

    return [item.name for item in TpuApi(to_cloud(site.info), "-").listed("list_queued_resources").items]


def _processes(row: Row) -> Iterator[str]:
    deadline = time.monotonic() + SETTLE_S
    while (left := processes.with_job(row.id)) and time.monotonic() < deadline:
        time.sleep(0.1)
    if left:
        yield f"processes of the job are left: {left}"


def _controllers(played: Played) -> Iterator[str]:
    """Nobody leaves a live job without a reason, and nobody with a traceback."""
    if not played.plan.kinds & MAY_LEAVE:
        yield from (f"without need, {words}" for words in played.left)
    for log in played.logs:
        text = log.read_text(errors="replace")
        if "Traceback" in text:
            yield f"{log.name}: {text[text.index('Traceback') :][-1500:]}"


def _store(site: Site) -> Iterator[str]:
    """It opens, is whole, and says that nothing is under way."""
    with site.store() as store:
        found = [row[0] for row in store.execute("PRAGMA integrity_check")]
        broken = store.execute("PRAGMA foreign_key_check").fetchall()
    if found != ["ok"] or broken:
        yield f"the store is damaged: {found} {broken}"


def _commands(site: Site, row: Row) -> Iterator[str]:
    """A fresh process opens the store, and says the same."""
    done = Controllers(site, "fresh").run("status", row.id, "--json")
    told: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {}
    if told.get("state") != row.state or told.get("driven_by"):
        yield f"`tpuherd status` says {done.stdout[:300]} {done.stderr[-500:]}"
    last = {one["stage"]: one["state"] for one in told.get("stages", []) if one["attempt"] == row.attempt}
    if last and last.get("release") != "done":
        yield f"its slices are not given back, by its stages: {last}"
