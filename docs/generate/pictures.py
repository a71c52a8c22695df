"""The pictures of the README: a real run of the example, in a terminal of its own. Takes about a minute."""

from __future__ import annotations

import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS, ROWS = 120, 50
SHOWN = re.compile(
    r"(w\d+) .*(run_benchmarks\.py started|Finished metric: 'save'|run_benchmarks\.py finished)"
)
"""Of the workers' lines, the first of each kind is shown for every worker; a gap says how many are not."""
REMOTE_FONT = re.compile(r"@font-face \{\{.*?\n    \}\}\n", re.DOTALL)


def make(root: Path) -> None:
    """Run the example and draw `run.svg`; copy the plot that it made to `results.png`."""
    target = root / "docs" / "pictures"
    with TemporaryDirectory(prefix="tpuherd-") as home:
        output = _run(root, Path(home))
        shown = output.replace(home, "~/.local/state/tpuherd")
        (target / "run.svg").write_text(_drawn(_shortened(shown.splitlines())))
        (plot,) = Path(home).glob("jobs/*/attempt-1/results/results.png")
        shutil.copy(plot, target / "results.png")


def _run(root: Path, home: Path) -> str:
    """What the terminal shows of the run."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    command = [sys.executable, "-P", "-m", "tpuherd", "run", "examples/orbax_benchmark.yaml"]
    environment = os.environ | {"TPUHERD_HOME": str(home)}
    with subprocess.Popen(
        command, cwd=root, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        output = b"".join(iter(lambda: _read(ours), b"")).decode()
    sys.stdout.write(output)
    if process.returncode:
        sys.exit(f"the run ended with {process.returncode}: no picture")
    return output


def _read(terminal: int) -> bytes:
    """On Linux, reading a terminal that nobody has open any more is an error."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def _shortened(lines: list[str]) -> list[str]:
    """Leave out most of the workers' lines, and say so in their place."""
    (began,) = (number for number, line in enumerate(lines) if "the workload runs" in line)
    (ended,) = (number for number, line in enumerate(lines) if "the workload has ended" in line)
    return [*lines[: began + 1], *_samples(lines[began + 1 : ended]), *lines[ended:]]


def _samples(log: list[str]) -> Iterator[str]:
    seen: set[tuple[str, ...]] = set()
    gap = 0
    for line in log:
        found = SHOWN.search(line)
        if found is None or found.groups() in seen:
            gap += 1
            continue
        seen.add(found.groups())
        yield from _gap(gap)
        yield line
        gap = 0
    yield from _gap(gap)


def _gap(lines: int) -> Iterator[str]:
    if lines:
        yield f"\x1b[2m      … {lines} more of the workers' lines\x1b[0m"


def _drawn(lines: list[str]) -> str:
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    for line in lines:
        console.print(_fitting(Text.from_ansi(line)), soft_wrap=True)
    template = (
        REMOTE_FONT.sub("", CONSOLE_SVG_FORMAT)
        .replace("Fira Code, monospace", "monospace")
        .replace("arial", "sans-serif")
    )
    return console.export_svg(
        title="tpuherd run examples/orbax_benchmark.yaml", code_format=template, unique_id="run"
    )


def _fitting(text: Text) -> Text:
    text.truncate(COLUMNS, overflow="ellipsis")
    return text
