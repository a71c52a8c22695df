"""When Python looks for garbage: not while a command starts, and as usual in one that lasts."""

from __future__ import annotations

import gc

STARTING = 400_000
"""New objects, without those that were freed, before the first look; a command that starts makes fewer."""


def look_later() -> None:
    """Spare a command a fifth of its start: what is made there stays, and would be looked at many times."""
    usual = gc.get_threshold()

    def as_usual(*_about: object) -> None:
        gc.callbacks.remove(as_usual)
        gc.set_threshold(*usual)

    gc.callbacks.append(as_usual)
    gc.set_threshold(STARTING)
