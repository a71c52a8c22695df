"""The supervisor that `supervise.py` looks at, in a process of its own so that its memory is its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pathlib import Path


class Supervising:
    """`tpuherd supervise --json`, and what it says about itself."""

    def __init__(self, home: Path) -> None:
        self._log = home / "supervisor.log"
        self._heard: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tpuherd", "supervise", "--json"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(60)

    def status(self) -> dict[str, Any]:
        """The next thing that it says."""
        count = len(self._heard)
        while len(self._heard) == count:
            if self._process.poll() is not None:
                raise RuntimeError(f"the supervisor has ended:\n{self._log.read_text()[-2000:]}")
            time.sleep(0.05)
        return self._heard[-1]

    def steady(self, seconds: float) -> dict[str, Any]:
        """What it uses when nothing happens: it is left to settle, then watched."""
        time.sleep(min(seconds, 20.0))
        before, cpu_s, began = self.status(), self._cpu_s(), time.monotonic()
        time.sleep(seconds)
        after, passed_s = self.status(), time.monotonic() - began
        calls = {
            name: count - before["api_calls"].get(name, 0)
            for name, count in after["api_calls"].items()
            if count != before["api_calls"].get(name, 0)
        }
        return {
            "seconds": round(passed_s, 1),
            "driven": after["driven"],
            "api_calls": calls,
            "api_calls_per_s": round(sum(calls.values()) / passed_s, 3),
            "cpu_share": round((self._cpu_s() - cpu_s) / passed_s, 3),
            "rss_mib": after["rss_mib"],
        }

    def _cpu_s(self) -> float:
        import os
        from pathlib import Path

        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._heard.append(json.loads(line))
