"""Making things go wrong in an emulated cloud that runs, and moving its time."""

from __future__ import annotations

from tpuherd_emulator.control.client import Control

__all__ = ["Control"]
