from __future__ import annotations

import os
import random
import subprocess
import time
from itertools import pairwise

import pytest

from tpuherd.agent.answers import AgentProtocolError, Beat, LogChunk, Status
from tpuherd.agent.protocol import FrameDecoder

from .conftest import ended, wait_for


class Watch:
    """A watch of one attempt, and what came out of it."""

    def __init__(self, worker, attempt: str, offset: int = 0, words=(), stdin=subprocess.DEVNULL):
        args = (*(words or ("watch", "--attempt", attempt)), "--offset", str(offset))
        self.process = worker.open(*args, stdin=stdin, stdout=subprocess.PIPE)
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
        assert self.process.wait(60) == 0
        return self.frames[-1]


def test_log_and_status_until_the_end(worker):
    worker.start("job.1", "echo 1; until [ -e $HOME/go ]; do sleep 0.01; done; echo 2; echo 3; exit 5")
    watch = Watch(worker, "job.1")
    while not watch.log:
        watch.read()
    (worker.home / "go").touch()
    last = watch.to_end()
    assert bytes(watch.log) == b"1\n2\n3\n"
    assert (last.state, last.code, last.log_size) == ("exited", 5, 6)
    states = [frame.state for frame in watch.frames if isinstance(frame, Status)]
    assert states == ["running", "exited"]


def test_beats_come_although_nothing_is_printed(worker):
    worker.start("job.1", "sleep 2.5")
    watch = Watch(worker, "job.1")
    watch.to_end()
    beats = [frame.at for frame in watch.frames if isinstance(frame, Beat)]
    assert len(beats) >= 3
    assert all(before < after for before, after in pairwise(beats))


def test_output_is_sent_at_once(worker):
    """Each line is printed only after the one before has been seen here."""
    worker.start("job.1", "for i in 1 2 3; do echo $i; until [ -e $HOME/seen-$i ]; do sleep 0.01; done; done")
    watch = Watch(worker, "job.1")
    while watch.read():
        for line in bytes(watch.log).decode().split():
            (worker.home / f"seen-{line}").touch()
    watch.process.communicate()
    assert watch.log == b"1\n2\n3\n"


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


def test_50_mb_are_whole(worker):
    worker.start("job.1", "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end")
    watch = Watch(worker, "job.1")
    watch.to_end()
    assert watch.log == b"x" * 50_000_000 + b"\nend\n"


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
    watch.process.wait(20)
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
