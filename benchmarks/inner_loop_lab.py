"""A home of tpuherd's with an emulated cloud of its own, the commands in it, and what they took."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from inner_loop_commands import TIMEOUT_S, checked, ours, processor_s, started
from inner_loop_values import Sample

from tpuherd_emulator import gcloud
from tpuherd_emulator.info import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tpuherd_emulator.info import CloudInfo

COLD = {"TPUHERD_HOLDER_IDLE_S": "0"}
NOT_OURS = ("TPUHERD_", "CLOUDSDK_", "GOOGLE_", "PYTHON", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK")
"""How names begin that would change what is measured: users have no PYTHONDONTWRITEBYTECODE, say."""


class Lab:
    """One emulated cloud, whose jobs and connections are nobody else's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.keepers: list[int] = []
        """Processes that keep connections between commands: their CPU time counts, too."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith(NOT_OURS)}
        self.environment = plain | {"TPUHERD_HOME": str(self.home)}

    @property
    def shared(self) -> Path:
        """A folder that all workers see under the same name."""
        return self.home / "emulator" / "shared"

    @property
    def info(self) -> CloudInfo:
        found = load(self.home / "emulator" / "cloud.json")
        assert found, "the emulated cloud does not run"
        return found

    def gcloud_environment(self) -> dict[str, str]:
        """What leads gcloud to this cloud; its keys go to a home folder of its own."""
        home = self.folder / "gcloud"
        return self.environment | gcloud.variables(self.info, home) | {"HOME": str(home)}

    def ok(self, *words: object, **more: str) -> str:
        """What `tpuherd WORDS` prints."""
        return checked(ours(*words), self.environment | more, self.folder)

    def timed(self, argv: Sequence[object], environment: Mapping[str, str]) -> Sample:
        """Run a command that must succeed."""
        with self.measuring() as samples:
            checked(argv, environment, self.folder)
        return samples[0]

    @contextmanager
    def measuring(self) -> Iterator[list[Sample]]:
        """What the commands within take; there is one sample after the block."""
        samples: list[Sample] = []
        cpu, began = self.cpu_s(), time.perf_counter()
        yield samples
        wall_s = time.perf_counter() - began
        samples.append(Sample(wall_s=wall_s, cpu_s=self.cpu_s() - cpu))

    def until_said(
        self, text: str, times: int, argv: Sequence[object], environment: Mapping[str, str]
    ) -> Sample:
        """The time until a command has printed a text so many times; the CPU time is that until its end."""
        cpu, began = self.cpu_s(), time.perf_counter()
        wall_s, printed = None, []
        with started(argv, environment, self.folder) as process:
            assert process.stdout
            for line in process.stdout:
                printed.append(line)
                times -= text in line
                if times <= 0 and wall_s is None:
                    wall_s = time.perf_counter() - began
        if process.returncode or wall_s is None:
            raise RuntimeError(f"{argv}: exit code {process.returncode}, said:\n{''.join(printed)}")
        return Sample(wall_s=wall_s, cpu_s=self.cpu_s() - cpu)

    def cpu_s(self) -> float:
        """Of all commands that have ended so far, and of the processes that keep connections."""
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime + sum(map(processor_s, self.keepers))

    def count_holder(self) -> None:
        """From now on, the CPU time of tpuherd's connection holder counts."""
        rows = json.loads(self.ok("connections", "--json"))
        self.keepers += {row["holder"] for row in rows} - set(self.keepers)

    def close(self) -> None:
        """End everything; a second Ctrl-C does not keep it from that."""
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with suppress(RuntimeError):
                self.count_holder()
            for words in (("connections.close",), ("cloud.down", "--force")):
                subprocess.run(ours(*words), env=self.environment, capture_output=True, timeout=TIMEOUT_S)
            for process in self.keepers:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGTERM)
        finally:
            signal.signal(signal.SIGINT, before)


@contextmanager
def lab(*options: str) -> Iterator[Lab]:
    """A lab whose cloud runs; nothing of it is left afterwards."""
    with tempfile.TemporaryDirectory(prefix="inner-", ignore_cleanup_errors=True) as name:
        made = Lab(Path(name))
        try:
            made.ok("cloud.up", *options)
            yield made
        finally:
            made.close()
