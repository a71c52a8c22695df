"""How the agent says that it cannot do what was asked."""

from __future__ import annotations

USAGE = 64
"""The command line is wrong; nothing was touched."""
SPEC_WRONG = 65
"""The JSON spec on stdin is wrong; nothing was touched."""
NOT_THERE = 66
"""The log is shorter than the offset that was asked for."""
LONG_WAY = 69
"""Nothing was done: whoever asks knows another way, which can do it in this case."""
INTERNAL = 70
"""A bug in the agent."""
NOT_STOPPED = 71
"""A process could not be started or stopped by the operating system's decision."""
DISK = 74
"""A file could not be read or written; the disk may be full."""
BUSY = 75
"""A TPU device is held by another process; nothing was started."""


class AgentError(Exception):
    """Printed as one JSON line on stderr.

    Args:
        message: What is wrong, why, and what to do.
        code: Exit code of the agent, one of this module's numbers.
        details: More for programs: JSON values beside `error`.
    """

    def __init__(self, message: str, code: int, details: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = details or {}


def describe(error: OSError) -> str:
    """What the operating system refused, and for which file."""
    return f"{error.strerror}: {error.filename}" if error.filename else str(error.strerror)
