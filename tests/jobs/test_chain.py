"""`inv provision prepare-env sync-code run-workload release`: as a chain, each alone, and each again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from herd import Herd

CHAIN = ("provision", "prepare-env", "sync-code", "run-workload", "release")
FAILS_ONCE = "echo started >> {shared}/ran-0; [ $TPUHERD_ATTEMPT = 2 ] || exit 3"


def check_done_once(cloud: Herd, job: str = "job") -> None:
    assert cloud.starts(0) == 1
    assert len(cloud.operations("create")) == 1
    assert cloud.cloud()["nodes"] == []
    assert cloud.status(job)["state"] == "succeeded"


def test_with_the_job_file_on_the_first_task(cloud: Herd) -> None:
    first, *others = CHAIN
    done = cloud.inv(first, "--job", cloud.job(cloud.counting(3)), *others)
    assert done.returncode == 0, done.stderr
    check_done_once(cloud)


def test_with_the_job_file_in_the_environment(cloud: Herd) -> None:
    done = cloud.inv(*CHAIN, TPUHERD_JOB=str(cloud.job(cloud.counting(3))))
    assert done.returncode == 0, done.stderr
    check_done_once(cloud)


def test_with_the_job_file_of_this_folder(cloud: Herd) -> None:
    cloud.job(cloud.counting(3), name="tpuherd")
    cloud.ok(*CHAIN)
    check_done_once(cloud, "tpuherd")


def test_without_any_job_file(herd: Herd) -> None:
    done = herd.ends_with(3, "provision")
    assert "--job FILE" in done.stderr
    assert not herd.home.exists()


@pytest.mark.slow
def test_each_alone_and_each_again(cloud: Herd) -> None:
    job = cloud.job(cloud.counting(3))
    incarnations = set()
    for task in CHAIN[:-1]:
        for _ in range(2):
            assert cloud.inv(task, "--job", job).returncode == 0
            incarnations.add(_provisioned(cloud))
    assert len(incarnations) == 1
    assert cloud.starts(0) == 1
    assert len(cloud.cloud()["nodes"]) == 1
    for _ in range(2):
        assert cloud.inv("release", "--job", job).returncode == 0
    check_done_once(cloud)


def _provisioned(cloud: Herd) -> float:
    """When the provision stage began: a stage that is done is not begun again."""
    (row,) = (row for row in cloud.status()["stages"] if row["stage"] == "provision")
    return float(row["started_at"])


@pytest.mark.slow
def test_a_failed_workload_runs_again_on_the_same_slice(cloud: Herd) -> None:
    job = cloud.job(FAILS_ONCE.format(shared=cloud.shared))
    failed = cloud.inv("run-workload", "--job", job)
    assert failed.returncode == 8
    assert "w0" in failed.stderr
    assert cloud.inv("run-workload", "--job", job).returncode == 0
    assert cloud.status()["attempt"] == 2
    assert cloud.starts(0) == 2
    assert len(cloud.operations("create")) == 1
    assert cloud.inv("release", "--job", job).returncode == 0
    assert cloud.cloud()["nodes"] == []
    assert cloud.status()["state"] == "succeeded"


@pytest.mark.slow
def test_a_failed_workload_ends_the_chain(cloud: Herd) -> None:
    job = cloud.job("exit 3")
    assert cloud.inv(*CHAIN, TPUHERD_JOB=str(job)).returncode == 8
    assert len(cloud.cloud()["nodes"]) == 1
    assert cloud.inv("release", "--job", "job").returncode == 0
    assert cloud.cloud()["nodes"] == []
    assert (cloud.status()["state"], cloud.status()["exit_code"]) == ("failed", 8)


def test_release_of_what_never_was(herd: Herd) -> None:
    job = herd.job()
    assert "nothing to give back" in herd.ends_with(0, "release", "--job", job).stderr
    assert not (herd.home / "emulator").exists()


def test_every_task_is_listed_with_help(herd: Herd) -> None:
    import re

    listed = herd.inv("--list").stdout
    tasks = [line for line in listed.splitlines() if re.match(r"  \S", line)]
    helped = [task for task in tasks if re.match(r"  \S+( \(\S+\))?\s{2,}\w", task)]
    assert tasks == helped
    names = {task.split()[0] for task in tasks}
    assert names >= {
        *CHAIN,
        "run",
        "create",
        "status",
        "list",
        "logs",
        "exec",
        "ssh",
        "cancel",
        "delete",
        "plan",
    }
