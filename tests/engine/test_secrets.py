"""A secret of a job: the workload has it, and nothing else."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

SECRET = "tok-3f9a6c1e"
JOB = """
cloud: emulator
tpu: {accelerator: v5litepod-8, zone: us-west4-a}
env: {X_TOKEN: {env: MY_TOKEN}, PLAIN: visible-value}
command:
  cmd: printf %s "$X_TOKEN" > ~/written; test -n "$X_TOKEN"; sleep 1.5; test "$PLAIN" = visible-value
"""


def command_lines():
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                yield (folder / "cmdline").read_bytes()
            except OSError:
                continue


def below(folder):
    """All files whose bytes have the secret."""
    files = (Path(root) / name for root, _, names in os.walk(folder) for name in names)
    return [path for path in files if SECRET.encode() in _bytes(path)]


def _bytes(path):
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""


class Watch(threading.Thread):
    """Looks at all command lines and files while a job runs."""

    def __init__(self, home):
        super().__init__()
        self.home, self.over = home, threading.Event()
        self.shown, self.files, self.looks = [], set(), 0

    def run(self):
        while not self.over.is_set():
            self.shown += [line for line in command_lines() if SECRET.encode() in line]
            self.files |= {path.name for path in below(self.home)}
            self.looks += 1
            time.sleep(0.1)


@pytest.mark.slow
def test_only_the_workload_sees_it(tpuherd_run, tpuherd_home, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", SECRET)
    job = tmp_path / "job.yaml"
    job.write_text(JOB)
    watch = Watch(tpuherd_home)
    watch.start()
    done = tpuherd_run("run", job)
    watch.over.set()
    watch.join()
    assert done.exit_code == 0, done.stderr
    assert watch.looks > 5
    assert watch.shown == []
    assert watch.files == {"written"}
    assert below(tpuherd_home) == []
    plan = tpuherd_run("plan", job)
    shown = tpuherd_run("status", "job", "--json")
    for text in (done.stdout, done.stderr, plan.stdout, plan.stderr, shown.stdout):
        assert SECRET not in text


def test_a_secret_that_is_not_set_stops_before_anything_starts(
    tpuherd_run, tpuherd_home, tmp_path, monkeypatch
):
    monkeypatch.delenv("MY_TOKEN", raising=False)
    job = tmp_path / "job.yaml"
    job.write_text(JOB)
    done = tpuherd_run("run", job)
    assert done.exit_code == 3
    assert "env.X_TOKEN: variable MY_TOKEN is not set" in done.stderr
    assert not (tpuherd_home / "emulator").exists()
    assert not (tpuherd_home / "jobs").exists()
