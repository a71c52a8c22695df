"""How long a job may hold slices: `--ttl`, `tpu.ttl_s`, `tpu.idle_timeout_s`."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from herd import BIN, output, wait_for

from tpuherd.store.store import Store

if TYPE_CHECKING:
    from herd import Herd

TPU = {"accelerator": "v5litepod-8", "zone": "us-west4-a"}


def watchers(herd: Herd) -> list[int]:
    return [pid for pid, command in herd.processes().items() if "tpuherd.cleanup" in command]


def last_use(herd: Herd) -> float:
    store = Store(f"sqlite:///{herd.home / 'tpuherd.sqlite'}")
    (record,) = store.jobs.all()
    at = store.tenures.last_use(record.id)
    store.engine.dispose()
    return at


@pytest.mark.parametrize("word", ["soon", "2", "0h", "-3m"])
@pytest.mark.parametrize("command", ["run", "create"])
def test_a_wrong_ttl_is_refused_with_examples(herd: Herd, command: str, word: str) -> None:
    done = herd.ends_with(3, command, herd.job(), f"--ttl={word}")
    assert f"--ttl={word}" in done.stderr
    assert "90s, 30m, 2h or 7d" in done.stderr
    assert not herd.home.exists()


@pytest.mark.slow(15)
def test_a_job_is_stopped_and_gives_back_when_its_ttl_is_over(cloud: Herd) -> None:
    done = cloud.ends_with(13, "run", cloud.job(cmd=cloud.counting(lines=5000)), "--keep", "--ttl", "8s")
    assert "its ttl of 8s is over" in done.stderr
    status = cloud.status()
    assert (status["state"], status["exit_code"], status["holds"]) == ("failed", 13, ""), done.stderr
    assert cloud.cloud()["nodes"] == []
    assert not watchers(cloud)


@pytest.mark.slow(15)
def test_the_option_wins_over_the_file_and_is_on_the_labels(cloud: Herd) -> None:
    cloud.ok("run", cloud.job(tpu=TPU | {"ttl_s": 5}), "--keep", "--ttl", "1h")
    assert cloud.status()["held_until"] > time.strftime(
        "%Y-%m-%d %H:%M:%S", time.localtime(time.time() + 1800)
    )
    cloud.ok("release", "--job", "job")


@pytest.mark.slow(15)
def test_kept_slices_are_given_back_when_the_ttl_is_over(cloud: Herd) -> None:
    said = cloud.ends_with(0, "run", cloud.job(tpu=TPU | {"ttl_s": 12}), "--keep").stderr
    until = cloud.status()["held_until"]
    assert f"kept until {until}" in said
    assert until in cloud.ok("list")
    assert watchers(cloud)
    assert wait_for(lambda: not cloud.cloud()["nodes"], 60)
    assert wait_for(lambda: not watchers(cloud), 30)
    status = cloud.status()
    assert (status["state"], status["exit_code"], status["holds"]) == ("succeeded", 0, "")
    assert status["held_until"] is None


@pytest.mark.slow(15)
def test_kept_slices_are_given_back_when_idle_and_a_command_on_them_is_a_use(cloud: Herd) -> None:
    cloud.ok("run", cloud.job(tpu=TPU | {"idle_timeout_s": 10}), "--keep")
    process = cloud.start("exec", "job", "--command", "sleep 20; echo slept")
    used = last_use(cloud)
    assert wait_for(lambda: process.poll() is not None, 60)
    assert "slept" in output(process)
    assert cloud.cloud()["nodes"], "it was given back while it was used"
    assert last_use(cloud) >= used + 10
    assert wait_for(lambda: not cloud.cloud()["nodes"], 60)


@pytest.mark.slow(15)
def test_a_shell_on_them_is_a_use(cloud: Herd) -> None:
    cloud.ok("run", cloud.job(tpu=TPU | {"idle_timeout_s": 10}), "--keep")
    done = subprocess.run(
        [str(BIN / "tpuherd"), "ssh", "job"],
        env=cloud.environment(),
        cwd=cloud.root,
        input="sleep 20\necho slept\nexit 3\n",
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert "slept" in done.stdout, done.stderr
    assert done.returncode == 3
    assert cloud.cloud()["nodes"], "it was given back while it was used"
    assert wait_for(lambda: not cloud.cloud()["nodes"], 60)


@pytest.mark.slow(15)
def test_a_released_job_is_not_watched_any_more(cloud: Herd) -> None:
    cloud.ok("run", cloud.job(), "--keep", "--ttl", "1h")
    assert wait_for(lambda: watchers(cloud))
    cloud.ok("release", "--job", "job")
    assert wait_for(lambda: not watchers(cloud), 30)


@pytest.mark.slow(15)
def test_slices_of_single_stages_are_watched_too_by_one_process(cloud: Herd) -> None:
    job = cloud.job(tpu=TPU | {"ttl_s": 20})
    cloud.ok("provision", "--job", job)
    cloud.ok("prepare-env", "--job", job)
    assert wait_for(lambda: len(watchers(cloud)) == 1)
    assert wait_for(lambda: not cloud.cloud()["nodes"], 60)
    assert wait_for(lambda: cloud.status()["state"] == "failed")
    assert cloud.status()["exit_code"] == 13


@pytest.mark.slow(15)
def test_a_ttl_survives_its_controller(cloud: Herd) -> None:
    job = cloud.job(cmd=cloud.counting(lines=5000))
    process = cloud.start("run", job, "--ttl", "25s")
    cloud.until_says(process, "line 3")
    until = cloud.status()["held_until"]
    process.kill()
    process.wait()
    cloud.ends_with(10, "run", job, "--ttl", "2h")
    done = cloud.ends_with(13, "run", job, "--ttl", "25s")
    assert "its ttl of 25s is over" in done.stderr
    assert cloud.starts(0) == 1
    assert until <= time.strftime("%Y-%m-%d %H:%M:%S")
    assert cloud.cloud()["nodes"] == []


@pytest.mark.slow(15)
def test_a_workload_that_runs_without_a_controller_is_a_use(cloud: Herd) -> None:
    process = cloud.start("run", cloud.job(cmd=cloud.counting(lines=400), tpu=TPU | {"idle_timeout_s": 2}))
    cloud.until_says(process, "line 3")
    process.kill()
    process.wait()
    cloud.variables["TPUHERD_CLOUD"] = "emulator"
    assert wait_for(lambda: "nothing has used it" in cloud.ok("gc"), 30)
    cloud.ok("gc", "--yes")
    assert cloud.cloud()["nodes"], "its workload ran"
    cloud.ok("resume", "job")
    assert cloud.starts(0) == 1
