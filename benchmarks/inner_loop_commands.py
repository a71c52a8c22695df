"""Running commands: to their end, or as they go, and what their processes take."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TIMEOUT_S = 900.0
TICKS = os.sysconf("SC_CLK_TCK")


def ours(*words: Any) -> list[str]:
    """The command line of `tpuherd WORDS`: the script that users have."""
    return [str(Path(sys.executable).parent / "tpuherd"), *map(str, words)]


def checked(argv: Sequence[object], environment: Mapping[str, str], folder: Path) -> str:
    """What a command prints, which must succeed."""
    with started(argv, environment, folder, errors=subprocess.PIPE) as process:
        out, errors = process.communicate(timeout=TIMEOUT_S)
    if process.returncode:
        raise RuntimeError(f"{' '.join(map(str, argv))}: {process.returncode}\n{out}\n{errors}")
    return str(out)


@contextmanager
def started(
    argv: Sequence[object], environment: Mapping[str, str], folder: Path, errors: int = subprocess.STDOUT
) -> Iterator[subprocess.Popen[str]]:
    """A command; it has ended afterwards, whatever happens."""
    process = subprocess.Popen(
        list(map(str, argv)), env=dict(environment), cwd=folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
    )  # fmt: skip
    try:
        yield process
        process.wait(TIMEOUT_S)
    except BaseException:
        process.kill()
        raise
    finally:
        process.wait()


def processor_s(process: int) -> float:
    """CPU seconds of a process and of those of its children that have ended; of one that is gone, none."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS
