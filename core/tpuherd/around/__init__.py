"""What plugins have in common that put something around the workload: mounts, folders, keys, scripts."""

from __future__ import annotations

from tpuherd.around.doing import LEAVE_S, do, leave
from tpuherd.around.ending import until_cancelled

__all__ = ["LEAVE_S", "do", "leave", "until_cancelled"]
