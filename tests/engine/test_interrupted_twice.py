"""A second interruption at the worst moment: while the first is still being written down."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import SimpleNamespace

from tpuherd.engine import controller as module
from tpuherd.engine.background import CANCEL, RESUME
from tpuherd.engine.controller import Controller
from tpuherd.engine.interrupts import Interrupts, OnInterrupt


class Left(BaseException):
    """The process would be gone here."""


def interrupted(monkeypatch, policy: OnInterrupt, want) -> list[tuple[str, ...]]:
    """The commands that go on in the background when a controller is interrupted."""
    started: list[tuple[str, ...]] = []

    def leave(_code: int) -> None:
        raise Left

    def start(record: object, words: tuple[str, ...]) -> int:
        started.append(words)
        return os.getpid()

    monkeypatch.setattr(module, "start_background", start)
    monkeypatch.setattr(module.os, "_exit", leave)
    ours = object.__new__(Controller)
    ours.record = SimpleNamespace(id="job-1")
    ours.reporter = SimpleNamespace(note=lambda text: None)
    ours.session = SimpleNamespace(cancel=lambda: None)
    ours.store = SimpleNamespace(
        jobs=SimpleNamespace(want=want, get=lambda job: SimpleNamespace(keep=False)),
        leases=SimpleNamespace(hand_over=lambda job, to: None),
    )
    ours._cancelling = False
    with Interrupts(policy, ours._cancel, lambda: ours._detach(goes_on=True)), suppress(Left):
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
    return started


def test_a_cancel_that_is_only_half_stored_goes_on_as_a_cancel(monkeypatch):
    def interrupted_again(job: str, what: str) -> None:
        signal.raise_signal(signal.SIGINT)

    assert interrupted(monkeypatch, OnInterrupt.CANCEL, interrupted_again) == [CANCEL]


def test_a_stored_cancel_goes_on_as_a_cancel(monkeypatch):
    assert interrupted(monkeypatch, OnInterrupt.CANCEL, lambda job, what: None) == [CANCEL]


def test_a_detached_job_is_resumed(monkeypatch):
    assert interrupted(monkeypatch, OnInterrupt.DETACH, lambda job, what: None) == [RESUME]
