from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from itertools import pairwise

import pytest

from tpuherd.agent.answers import AgentProtocolError, Beat, LogChunk, Status
from tpuherd.agent.protocol import FrameDecoder

from .conftest import ended, wait_for


class Watch:
    """A watch of one attempt, and what came out of it."""

    def __init__(self, worker, attempt: str, offset: int = 0):
        args = ("watch", "--attempt", attempt, "--offset", str(offset))
        self.process = worker.open(*args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.decoder = FrameDecoder()
        self.frames: list = []
        self.log = bytearray()

    def read(self) -> bool:
        data = os.read(self.process.stdout.fileno(), 1 << 16)
        for frame in self.decoder.feed(data):
            self.frames.append(frame)
            if isinstance(frame, LogChunk):
                assert not self.log or frame.offset == self.first + len(self.log)
                self.first = self.first if self.log else frame.offset
                self.log += frame.data
        return bool(data)

    first = 0

    def to_end(self) -> Status:
        while self.read():
            pass
        self.decoder.finish()
        self.process.stdout.close()
        assert self.process.wait(10) == 0
        return self.frames[-1]


def test_log_and_status_until_the_end(worker):
    worker.start("job.1", "for i in 1 2 3; do echo $i; sleep 0.2; done; exit 5")
    watch = Watch(worker, "job.1")
    last = watch.to_end()
    assert bytes(watch.log) == b"1\n2\n3\n"
    assert (last.state, last.code, last.log_size) == ("exited", 5, 6)
    states = [frame.state for frame in watch.frames if isinstance(frame, Status)]
    assert states == ["running", "exited"]


def test_beats_come_although_nothing_is_printed(worker):
    worker.start("job.1", "sleep 2.5")
    watch = Watch(worker, "job.1")
    times = []
    while watch.read():
        times.append(time.monotonic())
    watch.process.communicate()
    beats = [frame for frame in watch.frames if isinstance(frame, Beat)]
    assert len(beats) >= 3
    assert max(b - a for a, b in pairwise(times)) < 1.0
    assert abs(beats[-1].at - time.time()) < 1.5


def test_output_is_sent_at_once(worker):
    printer = "import time\nfor _ in range(20):\n time.sleep(0.07); print(repr(time.time()), flush=True)"
    worker.start("job.1", argv=[sys.executable, "-S", "-c", printer])
    watch = Watch(worker, "job.1")
    delays_s = []
    while watch.read():
        lines = bytes(watch.log).split()
        if len(lines) > len(delays_s):
            delays_s.append(time.time() - float(lines[-1]))
    watch.process.communicate()
    delays_s.sort()
    print(f"log delay: median {delays_s[10] * 1000:.0f} ms, largest {delays_s[-1] * 1000:.0f} ms")
    assert len(delays_s) > 15
    assert delays_s[10] < 0.05


def test_the_rest_of_a_binary_log_from_an_offset(worker):
    data = random.Random(3).randbytes(300_000)
    (worker.home / "data").write_bytes(data)
    worker.start("job.1", "cat $HOME/data")
    ended(worker, "job.1")
    for offset in (0, 1, 123_457, 300_000):
        watch = Watch(worker, "job.1", offset)
        assert watch.to_end().state == "exited"
        assert bytes(watch.log) == data[offset:]
        assert worker.log("job.1", offset) == data[offset:]
    assert worker.run("log", "--attempt", "job.1", "--offset", "7", "--limit", "11").stdout == data[7:18]


def test_50_mb_are_whole_and_quick(worker):
    worker.start("job.1", "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end")
    begun = time.monotonic()
    watch = Watch(worker, "job.1")
    watch.to_end()
    took_s = time.monotonic() - begun
    print(f"50 MB: {took_s:.2f} s")
    assert watch.log == b"x" * 50_000_000 + b"\nend\n"
    assert took_s < 10


@pytest.mark.parametrize("attempt", ["job.1", "job.never"])
def test_an_offset_beyond_the_end_is_an_error(worker, attempt):
    worker.start("job.1", "echo hi; sleep 60")
    wait_for(lambda: worker.log("job.1"))
    watch = Watch(worker, attempt, 1000)
    with pytest.raises(AgentProtocolError, match="offset 1000 is beyond the end of the log"):
        watch.to_end()
    watch.process.communicate()
    assert watch.process.returncode == 66
    code, answer = worker.refusal("log", "--attempt", attempt, "--offset", "1000")
    assert code == 66
    assert "offset 1000" in answer["error"]


def test_no_watch_is_left_behind_when_its_reader_goes_away(worker):
    worker.start("job.1", "sleep 60")
    watch = Watch(worker, "job.1")
    watch.read()
    watch.process.stdout.close()
    begun = time.monotonic()
    watch.process.wait(5)
    assert time.monotonic() - begun < 0.5
    assert worker.status("job.1")["state"] == "running"


def test_a_slow_reader_gets_everything(worker):
    worker.start("job.1", "head -c 3000000 /dev/zero")
    ended(worker, "job.1")
    watch = Watch(worker, "job.1")
    time.sleep(0.5)
    assert watch.to_end().state == "exited"
    assert len(watch.log) == 3_000_000


def test_a_lost_attempt_ends_the_watch(worker):
    worker.start("job.1", "echo hi; sleep 60")
    watch = Watch(worker, "job.1")
    wait_for(lambda: watch.read() and watch.log)
    worker.kill_keeper("job.1")
    assert watch.to_end().state == "lost"
    assert watch.log == b"hi\n"


def test_what_is_printed_during_a_stop_arrives(worker):
    """The shell dies of TERM at once, the program under it says good-bye."""
    program = "trap 'sleep 0.5; echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    worker.start("job.1", f'bash -c "{program}"; true')
    watch = Watch(worker, "job.1")
    wait_for(lambda: watch.read() and b"ready" in watch.log)
    assert worker.stop("job.1", 10)["state"] == "stopped"
    assert watch.to_end().state == "stopped"
    assert watch.log.startswith(b"ready\n")
    assert watch.log.endswith(b"bye\n")
