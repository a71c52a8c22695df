"""The command line of the worker side: `run`, `collect` or `pack`."""

from __future__ import annotations

import sys

from . import collect, pack, run

COMMANDS = {"run": run.main, "collect": collect.main, "pack": pack.main}


def main(argv: list[str] | None = None) -> int:
    """Hand over to the command that `argv` names first.

    Args:
        argv: The words after the program; those of this process if not given.

    Returns:
        The exit code.
    """
    words = sys.argv[1:] if argv is None else argv
    if not words or words[0] not in COMMANDS:
        sys.stderr.write(f"tpuherd: expected one of {', '.join(COMMANDS)} as the first word\n")
        return 64
    return COMMANDS[words[0]](words[1:])


if __name__ == "__main__":
    sys.exit(main())
