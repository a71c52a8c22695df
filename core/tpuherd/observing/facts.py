"""From an observation to facts: short lines of text, one per sign, that detectors are matched with.

What is not known makes no fact: an API that is down says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.model.detector import Fact, Where
from tpuherd.model.observation import Presence
from tpuherd.model.outcome import EndedBy, ExitKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.model.observation import HostObservation, Observation, SliceObservation
    from tpuherd.model.outcome import WorkerExit
    from tpuherd.model.sighting import WorkerSighting

FULL_BYTES = 50_000_000
"""A disk with less than that left is as good as full."""
KILLED = ("signalled 9", "exited 137")
"""Ends by SIGKILL: of the first process, or of one whose code a shell passed on."""


def facts(observation: Observation) -> tuple[Fact, ...]:
    """All facts but those of the logs, which `tpuherd.observing.logs` reads."""
    return (
        *(fact for piece in observation.slices for fact in _slice(piece)),
        *(fact for one in observation.sightings for fact in _sighting(one)),
        *(fact for one in observation.hosts for fact in _host(one)),
        *_exit(observation),
        *_error(observation),
    )


def _slice(piece: SliceObservation) -> Iterator[Fact]:
    state = "ABSENT" if piece.presence is Presence.ABSENT else piece.state
    detail = f" ({piece.detail})" if piece.detail else ""
    if state:
        yield Fact(where=Where.NODE_STATE, text=f"{state}{detail}", node_id=piece.node_id)
    if piece.health:
        yield Fact(where=Where.NODE_HEALTH, text=f"{piece.health}{detail}", node_id=piece.node_id)
    for symptom in piece.symptoms:
        text = f"{symptom.kind} on its worker {symptom.slice_worker} {symptom.detail}".strip()
        yield Fact(where=Where.NODE_SYMPTOM, text=text, node_id=piece.node_id)
    if piece.maintenance:
        yield Fact(where=Where.NODE_MAINTENANCE, text=piece.maintenance, node_id=piece.node_id)
    if piece.queue and piece.queue.state:
        queue = piece.queue
        by = f" by {queue.initiator}" if queue.initiator else ""
        text = f"{queue.state}{by} {queue.detail}".strip()
        yield Fact(where=Where.QUEUE_STATE, text=text, node_id=queue.queued_resource_id)


def _sighting(one: WorkerSighting) -> Iterator[Fact]:
    if one.preemption_notice_at is not None:
        yield Fact(
            where=Where.METADATA, text="preempted: TRUE", worker=one.worker, at=one.preemption_notice_at
        )
    if one.maintenance:
        yield Fact(where=Where.METADATA, text=f"maintenance: {one.maintenance}", worker=one.worker)
    if one.oom_kills:
        text = f"out of memory: the kernel killed {one.oom_kills} processes"
        yield Fact(where=Where.HOST, text=text, worker=one.worker)
    for holder in one.device_holders:
        yield Fact(where=Where.HOST, text=f"device held by {holder}", worker=one.worker)


def _host(one: HostObservation) -> Iterator[Fact]:
    for holder in one.device_holders:
        yield Fact(where=Where.HOST, text=f"device held by {holder}", worker=one.worker)
    for path in one.broken_mounts:
        yield Fact(where=Where.HOST, text=f"mount does not answer: {path}", worker=one.worker)
    if one.free_bytes is not None and one.free_bytes < FULL_BYTES:
        text = f"disk full: {one.free_bytes // 1_000_000} MB are free"
        yield Fact(where=Where.HOST, text=text, worker=one.worker)


def _exit(observation: Observation) -> Iterator[Fact]:
    end = observation.exit
    if end is None:
        return
    if end.ended_by is EndedBy.HANG:
        yield Fact(where=Where.PROGRESS, text=f"hung: {end.why}")
    blamed = end.first_failure
    if blamed is not None:
        text = _how(blamed, observation)
        yield Fact(where=Where.EXIT, text=text, worker=blamed.worker, at=blamed.happened_at)


def _how(end: WorkerExit, observation: Observation) -> str:
    """`exited 1`, `signalled 9`, `lost`; for a kill also that the kernel did not do it, if that is known."""
    if end.kind is ExitKind.LOST:
        return "lost"
    how = f"{end.kind.value} {end.code}"
    counted = [one.oom_kills for one in observation.sightings if one.worker == end.worker]
    not_the_kernel = how in KILLED and 0 in counted
    return f"{how}, and the kernel killed nothing for want of memory" if not_the_kernel else how


def _error(observation: Observation) -> Iterator[Fact]:
    """The text of an error that is no workload's end: that quotes a log, which has facts of its own."""
    if observation.refusal:
        yield Fact(where=Where.REFUSAL, text=observation.refusal)
    if observation.exit is None:
        for line in filter(str.strip, observation.error.splitlines()):
            yield Fact(where=Where.ERROR, text=line.strip())
