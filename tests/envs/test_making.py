"""What environments of all kinds have in common: locks that are waited for, dead workers, preflight."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import threading
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from clouded import clouded, eventually

import tpuherd_host
import tpuherd_tpu_vm
import tpuherd_venv
from tpuherd import ConfigError, PrepareError
from tpuherd.envs import Made, Recipe, environment_key, make, preflight
from tpuherd_emulator.control.client import Control

LIBRARY = files("tpuherd.envs").joinpath("worker.sh").read_text()
TOOLS = Path(__file__).parents[2] / ".tools" / "uv" / "bin"
FILL = """
works() { [ -f $folder/content ]; }
begin
mkdir -p $folder
date +%N > $folder/content
finish echo a==1
"""


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['PATH']}:{TOOLS}")
        with clouded(tmp_path_factory.mktemp("making")) as made:
            yield made


def recipe(script=FILL, key="k", **more):
    return Recipe(action="making it", folder=f"things/{key}", key=key, script=script, timeout_s=60, **more)


def wait_for_locks(tmp_path, timeout_s):
    """The library's waiting, for two lock files of our own."""
    header = f"folder=/x checked=/x disk_gib=0 disk_kib=0 lock_timeout_s={timeout_s}\n"
    words = ["bash", "-c", f'{header}{LIBRARY}\nwait_for_locks "$@"\necho free', "x"]
    return subprocess.Popen(
        [*words, tmp_path / "gone", tmp_path / "lock"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def locked(tmp_path):
    """A lock of the kind that dpkg and apt use."""
    with (tmp_path / "lock").open("w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield file


def test_the_lock_of_the_boot_time_update_is_waited_for(tmp_path, locked):
    waiting = wait_for_locks(tmp_path, 60)
    assert waiting.stderr.readline() == f"waiting: another package manager holds {tmp_path}/lock\n"
    assert waiting.poll() is None
    fcntl.lockf(locked, fcntl.LOCK_UN)
    assert waiting.communicate(timeout=30)[0] == "free\n"
    assert waiting.returncode == 0


@pytest.mark.parametrize("done", [True, False], ids=["finished", "half made"])
def test_a_controller_that_has_gone_takes_no_finished_environment_away(tmp_path, done):
    header = f"folder={tmp_path}/things/k checked=/x disk_gib=0 disk_kib=0 lock_timeout_s=1\n"
    script = FILL if done else FILL.replace("echo a==1", "false")
    reading, writing = os.pipe()
    os.close(reading)  # nobody hears what is told in the end
    made = subprocess.run(["bash", "-c", f"{header}{LIBRARY}\n{script}"], stdout=writing, timeout=60)
    os.close(writing)
    assert made.returncode != 0
    assert (tmp_path / "things/k/content").exists() == done


def test_the_wait_has_an_end_and_the_holder_lives(tmp_path, locked):
    waiting = wait_for_locks(tmp_path, 1)
    said = waiting.communicate(timeout=30)[1]
    assert waiting.returncode == 79
    assert "is still locked by another package manager after 1 s (environment.lock_timeout_s)" in said
    assert not locked.closed


def test_a_lock_that_nobody_holds_is_none(tmp_path):
    (tmp_path / "lock").touch()
    assert wait_for_locks(tmp_path, 1).communicate(timeout=30) == ("free\n", "")


def test_the_key_tells_all_inputs_apart():
    keys = {
        environment_key(*inputs) for inputs in [("ab", ""), ("a", "b"), ("a", ("b",)), ("a", None), ("a",)]
    }
    assert len(keys) == 5


def test_it_is_made_once_and_by_one_when_two_want_it(cloud, held):
    job, found = cloud.job({}, job_id="making-0001"), []
    slow = FILL.replace("begin\n", "begin\nsleep 1\n")
    pair = [threading.Thread(target=lambda: found.append(make(job, held, recipe(slow, "two")))) for _ in "ab"]
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join()
    content = [(cloud.home(w) / ".tpuherd/things/two/content").read_text() for w in held.workers]
    assert found == [Made(versions={"a": "1"})] * 2
    assert make(job, held, recipe(slow, "two")) == found[0]
    assert [(cloud.home(w) / ".tpuherd/things/two/content").read_text() for w in held.workers] == content


def test_reasons_and_other_failures_are_told_apart(cloud, held):
    job = cloud.job({}, job_id="making-0001")
    refusing = 'works() { false; }\nbegin\nrefuse "no, says $(hostname)"\n'
    with pytest.raises(PrepareError) as caught:
        make(job, held, recipe(refusing, "refused"))
    assert re.fullmatch(
        r"making it: 0 of 4 workers succeeded; w0: no, says \S+; w1: no.*; w2: no.*; w3: no.*",
        str(caught.value),
    )
    failing = "works() { false; }\nbegin\nmkdir $folder; echo why >&2; exit 5\n"
    with pytest.raises(PrepareError, match=r"(?s)w0, w1, w2, w3 failed: exit 5\nlast lines of w\d:\nwhy"):
        make(job, held, recipe(failing, "failed"))
    assert not (cloud.home(held.workers[0]) / ".tpuherd/things/failed").exists()


@pytest.mark.slow
def test_a_dead_worker_among_many_is_named_and_the_others_are_finished(cloud):
    job = cloud.job({}, tpu={"accelerator": "v5litepod-16"}, job_id="dead-0001")
    allocation = tpuherd_tpu_vm.provision(job, job.attempt)
    tpuherd_host.prepare_env(job, allocation)
    node = allocation.workers[2].node_id
    with Control(cloud.info) as control:
        control.fault("power-off", node=node, worker=2)
    remote = job.session.workers(allocation, job.cloud.ssh)
    eventually(lambda: remote.run("true", workers=[2], timeout_s=20).failed)
    with pytest.raises(PrepareError, match=r"making it: 3 of 4 workers succeeded; w2 (lost|unreachable)"):
        make(job, allocation, recipe(key="dead"))
    assert (cloud.home(allocation.workers[3]) / ".tpuherd/things/dead/.tpuherd-done").exists()


def with_preflight(job, **changes):
    section = job.spec.environment.model_copy(update={"preflight": True, **changes})
    return replace(job, spec=job.spec.model_copy(update={"environment": section}))


def test_preflight_is_for_real_tpus_with_jax_unless_told_otherwise(cloud, held):
    """Nothing is asked of the workers: there are none behind this allocation's addresses."""
    (piece,) = held.slices
    gone = replace(held, slices=(replace(piece, workers=(), incarnation="nobody"),))
    job = cloud.job({}, job_id="making-0001")
    environment = tpuherd_host.prepare_env(job, held)
    preflight(job, gone, replace(environment, versions={"jax": "1"}), Made())  # emulated
    preflight(replace(job, cloud=replace(job.cloud, devices="tpu")), gone, environment, Made())  # no jax
    preflight(with_preflight(job), gone, environment, Made(checked=True))  # done before


def test_preflight_shows_why_jax_does_not_start(cloud, held):
    job = with_preflight(cloud.job({}, job_id="making-0001"))
    with pytest.raises(
        PrepareError, match=r"(?s)preflight \(environment\.preflight\): 0 of 4.*No module named 'jax'"
    ):
        tpuherd_host.prepare_env(job, held)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(
    not (shutil.which("uv") or (TOOLS / "uv").exists()), reason="uv makes the environment: put it on PATH"
)
def test_preflight_counts_the_devices_of_all_workers_once(cloud, held):
    """With the real JAX: four processes with four emulated chips each."""
    sections = {"venv": {"jax": "0.10.2"}, "environment": {"preflight": True}}
    job = cloud.job(sections, job={"env_type": "venv"}, job_id="making-0001")
    made = tpuherd_venv.prepare_env(job, held)
    assert made.versions["jax"] == "0.10.2"
    markers = [cloud.home(w) / ".tpuherd" / "preflight" / made.key for w in held.workers]
    assert all(marker.exists() for marker in markers)

    (piece,) = held.slices
    promising_less = replace(held, slices=(replace(piece, accelerator="v5litepod-1"),))
    assert tpuherd_venv.prepare_env(job, promising_less) == made, "it was checked before"
    markers[1].unlink()
    job.cloud.worker_variables["JAX_NUM_CPU_DEVICES"] = "3"
    with pytest.raises(
        PrepareError, match=r"w0: local_device_count is 3, expected 4; w0: device_count is 12"
    ):
        tpuherd_venv.prepare_env(job, held)


@pytest.mark.parametrize("section", ["disk_gib: -1", "preflight: 3", "disk: 4"])
def test_a_wrong_section_is_refused(job_factory, section):
    with pytest.raises(ConfigError, match=r"environment\.(disk_gib|preflight|disk)"):
        job_factory(f"environment: {{{section}}}\ncommand: {{cmd: x}}")
