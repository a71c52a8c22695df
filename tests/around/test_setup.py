"""Setup scripts on real workers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from clouded import eventually
from searching import holding

import tpuherd_setup
from tpuherd.errors import Cancelled, PrepareError
from tpuherd.model.job import Attempt


def with_scripts(cloud, *scripts, **more):
    return cloud.job(tpu={"accelerator": "v5litepod-16"}, setup={"scripts": list(scripts)}, **more)


def on_disk(cloud, held, name):
    """What each worker has in a file of its home folder."""
    paths = [cloud.home(worker) / name for worker in held.workers]
    return [path.read_text() if path.exists() else None for path in paths]


def log(job, worker):
    return (job.attempt_directory / f"setup-{worker}.log").read_text()


@pytest.mark.parametrize(
    ("workers", "expected"),
    [("all", [0, 1, 2, 3]), (2, [2]), ([0, 3], [0, 3])],
)
def test_the_chosen_workers_run_it_and_no_other(cloud, held, workers, expected):
    name = f"ran-{workers}".replace(" ", "")
    script = {"run": f'echo "$TPUHERD_WORKER" > "{name}"; echo said', "workers": workers}
    job = with_scripts(cloud, script, job_id=f"choice-000{len(expected)}")
    tpuherd_setup.equip_workers(job, held)
    found = on_disk(cloud, held, name)
    assert [int(text) for text in found if text] == expected
    assert log(job, expected[0]) == "said\n"


def test_once_in_an_attempt_and_once_in_a_vms_life(cloud, held):
    scripts = [
        {"run": "echo x >> each-attempt", "workers": 0},
        {"run": "echo x >> each-vm", "workers": 0, "once": "vm"},
    ]
    for attempt in (1, 1, 2):
        tpuherd_setup.equip_workers(with_scripts(cloud, *scripts, attempt=attempt), held)
    assert on_disk(cloud, held, "each-attempt")[0] == "x\n" * 2
    assert on_disk(cloud, held, "each-vm")[0] == "x\n"


def test_scripts_run_in_order_and_wait_for_one_another(cloud, held):
    first = {"run": "sleep 0.3; touch ../../first-is-done", "workers": 1, "name": "first"}
    second = {"run": "test -e ../../first-is-done && echo after", "workers": 0, "name": "second"}
    job = with_scripts(cloud, first, second, job_id="order-0001")
    tpuherd_setup.equip_workers(job, held)
    assert log(job, 0) == "after\n"


def test_a_failure_names_the_worker_and_shows_the_end_of_its_output(cloud, held):
    run = '[ "$TPUHERD_WORKER" != 2 ] || { echo the disk is sulking >&2; exit 3; }'
    job = with_scripts(cloud, {"run": run, "name": "disks"}, job_id="fails-0001")
    with pytest.raises(
        PrepareError, match=r"setup: disks: 3 of 4 workers succeeded; w2 failed: exit 3"
    ) as caught:
        tpuherd_setup.equip_workers(job, held)
    assert "the disk is sulking" in str(caught.value)
    assert "the disk is sulking" in log(job, 2)


def test_one_that_failed_runs_again_and_others_do_not(cloud, held):
    run = "echo x >> tries; [ $TPUHERD_WORKER != 1 ] || [ -e ok ]"
    for _ in range(2):
        with pytest.raises(PrepareError):
            tpuherd_setup.equip_workers(with_scripts(cloud, {"run": run, "workers": [0, 1]}), held)
    (cloud.home(held.workers[1]) / "ok").touch()
    tpuherd_setup.equip_workers(with_scripts(cloud, {"run": run, "workers": [0, 1]}), held)
    assert on_disk(cloud, held, "tries")[:2] == ["x\n", "x\n" * 3]


def test_two_controllers_at_once_run_it_once(cloud, held):
    """One of them was killed and came back while its script goes on."""
    script = {"run": "sleep 0.5; echo x >> both", "workers": [0, 1]}
    jobs = [with_scripts(cloud, script, job_id="both-0001") for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: tpuherd_setup.equip_workers(job, held), jobs))
    assert on_disk(cloud, held, "both")[:2] == ["x\n"] * 2


def test_one_that_takes_too_long_is_ended(cloud, held):
    run = "echo $$ > slow-pid; sleep 300"
    job = with_scripts(cloud, {"run": run, "workers": 0, "timeout_s": 0.5, "name": "slow"})
    with pytest.raises(PrepareError, match=r"setup: slow did not end within 0.5 s \(timeout_s\)"):
        tpuherd_setup.equip_workers(job, held)
    pid = on_disk(cloud, held, "slow-pid")[0].strip()
    gone = job.session.workers(held, job.cloud.ssh).run(f"! kill -0 {pid}", workers=[0], timeout_s=20)
    assert not gone.failed


def test_cancelling_ends_it_on_the_workers(cloud, held):
    run = "echo $$ > cancelled-pid; sleep 300"
    job = with_scripts(cloud, {"run": run, "workers": 0}, job_id="cancel-0001")
    pid = cloud.home(held.workers[0]) / "cancelled-pid"

    def cancel():
        eventually(lambda: pid.exists() and pid.read_text())
        job.session.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(Cancelled):
        tpuherd_setup.equip_workers(job, held)
    thread.join()
    line = f"! kill -0 {pid.read_text().strip()}"
    remote = job.session.workers(held, job.cloud.ssh)
    eventually(lambda: not remote.run(line, workers=[0], timeout_s=20).failed)


def test_secrets_are_in_its_variables_and_nowhere_else(cloud, held, monkeypatch):
    monkeypatch.setenv("MY_TEST_KEY", "s3cr3t-$HOME-'quoted'")
    run = 'tr "\\0" " " < /proc/$PPID/cmdline > seen; ps -eo args >> seen; printf %s "$WANDB_API_KEY" > key'
    job = with_scripts(
        cloud, {"run": run, "workers": 0}, env={"WANDB_API_KEY": {"env": "MY_TEST_KEY"}, "N": 3}
    )
    tpuherd_setup.equip_workers(job, held)
    home = cloud.home(held.workers[0])
    assert (home / "key").read_text() == "s3cr3t-$HOME-'quoted'"
    assert "bash" in (home / "seen").read_text()
    (home / "key").unlink()
    assert holding(home, "s3cr3t") == []


def test_what_a_script_leaves_running_holds_no_lock(cloud, held):
    for attempt in (1, 2):
        run = "setsid sleep 30 > /dev/null 2>&1 & echo started"
        job = with_scripts(cloud, {"run": run, "workers": 0, "once": "vm"}, attempt=attempt)
        tpuherd_setup.equip_workers(job, held)
    assert job.attempt == Attempt(number=2)
