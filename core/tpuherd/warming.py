"""Imports: done while something else is waited for, and compiled only once."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading


def import_in_background(*modules: str) -> None:
    """Import modules in a thread of its own; one that cannot be imported says so where it is needed.

    The process does not end before the thread has: a library that is cut off in its C++ start-up aborts.
    """
    threading.Thread(target=_import, args=(modules,), name="imports").start()


def _import(modules: tuple[str, ...]) -> None:
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)


def write_bytecode() -> None:
    """Let imports keep what they compile: invoke forbids it, at half a second for every start."""
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
