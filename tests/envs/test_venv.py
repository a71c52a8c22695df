"""A virtual environment on every worker."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from clouded import eventually

import tpuherd_venv as plugin
from tpuherd import ConfigError, PrepareError
from tpuherd_venv.installing import recipe_for

TOOLS = Path(__file__).parents[2] / ".tools" / "uv" / "bin"
PACKAGE = "iniconfig==2.0.0"

pytestmark = pytest.mark.skipif(
    not (shutil.which("uv") or (TOOLS / "uv").exists()),
    reason="uv makes the environments: put it on PATH, or into .tools/uv/bin",
)


@pytest.fixture(scope="module", autouse=True)
def uv_on_path():
    """The emulated VM image has the uv of whoever starts the cloud."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['PATH']}:{TOOLS}")
        yield


@pytest.fixture(scope="module")
def cloud(uv_on_path, tmp_path_factory):
    from clouded import clouded

    with clouded(tmp_path_factory.mktemp("venv")) as made:
        yield made


def venv_job(cloud, packages=(PACKAGE,), **venv):
    return cloud.job(
        {"venv": {"packages": list(packages), **venv}}, job={"env_type": "venv"}, job_id="venv-0001"
    )


def folder(cloud, worker, environment):
    return cloud.home(worker) / ".tpuherd" / "venvs" / f"venv-{environment.key}"


def times(root):
    return {path: path.lstat().st_mtime_ns for path in root.rglob("*")}


def test_all_workers_get_it_and_the_second_call_only_looks(cloud, held):
    job = venv_job(cloud)
    made = plugin.prepare_env(job, held)
    assert made.kind == "venv"
    assert made.versions == {"iniconfig": "2.0.0", "python": made.versions["python"]}
    assert made.versions["python"].startswith("3.11.")
    assert made.variables == {"VIRTUAL_ENV": f"$HOME/.tpuherd/venvs/venv-{made.key}"}
    assert made.path_entries == (f"$HOME/.tpuherd/venvs/venv-{made.key}/bin",)
    for worker in held.workers:
        python = folder(cloud, worker, made) / "bin" / "python"
        assert subprocess.run([python, "-c", "import iniconfig"]).returncode == 0

    before = [times(folder(cloud, worker, made)) for worker in held.workers]
    assert plugin.prepare_env(job, held) == made
    assert [times(folder(cloud, worker, made)) for worker in held.workers] == before


@pytest.mark.parametrize("damage", ["no marker", "no python"])
def test_a_half_made_one_is_made_anew(cloud, held, damage):
    job = venv_job(cloud, name=damage.replace(" ", "-"))
    made = plugin.prepare_env(job, held)
    broken = cloud.home(held.workers[1]) / ".tpuherd" / "venvs" / f"{damage.replace(' ', '-')}-{made.key}"
    (broken / "left-over").touch()
    (broken / {"no marker": ".tpuherd-done", "no python": "bin/python"}[damage]).unlink()
    assert plugin.prepare_env(job, held) == made
    assert not (broken / "left-over").exists()
    assert (broken / "bin" / "python").exists()
    assert (broken / ".tpuherd-done").read_text().splitlines()[1:] == ["iniconfig==2.0.0"]


def test_different_versions_name_package_and_worker(cloud, held):
    job = venv_job(cloud, name="differs")
    made = plugin.prepare_env(job, held)
    marker = cloud.home(held.workers[2]) / ".tpuherd" / "venvs" / f"differs-{made.key}" / ".tpuherd-done"
    python = marker.read_text().splitlines()[0]
    marker.write_text(f"{python}\niniconfig==1.1.1\n")
    with pytest.raises(
        PrepareError, match=r"different versions of iniconfig: w0/w1/w3 2\.0\.0, w2 1\.1\.1; pin the"
    ):
        plugin.prepare_env(job, held)
    marker.write_text(python)
    with pytest.raises(PrepareError, match=r"iniconfig: w0/w1/w3 2\.0\.0, w2 none"):
        plugin.prepare_env(job, held)


def test_what_uv_says_about_an_unknown_package_is_shown(cloud, held):
    one = replace(held, slices=(replace(held.slices[0], workers=held.workers[:1], incarnation="one"),))
    with pytest.raises(
        PrepareError, match=r"(?s)making the virtual environment: 0 of 1.*iniconfig==0\.0\.77"
    ):
        plugin.prepare_env(venv_job(cloud, packages=["iniconfig==0.0.77"]), one)


def test_requirements_of_a_file_and_of_the_list_are_both_there(cloud, held):
    (cloud.factory._folder / "requirements.txt").write_text("# why\niniconfig==2.0.0  # and here")
    made = plugin.prepare_env(venv_job(cloud, packages=[], requirements_file="requirements.txt"), held)
    assert made.versions["iniconfig"] == "2.0.0"


def test_a_file_that_went_away_is_a_configuration_error(cloud, held):
    with pytest.raises(ConfigError, match=r"venv\.requirements_file: cannot read .*gone\.txt: No such file"):
        plugin.prepare_env(venv_job(cloud, requirements_file="gone.txt"), held)


def test_two_controllers_at_once_make_one(cloud, held):
    """The second waits, and does not tear down what the first one's workload uses already."""
    found = []

    def prepare():
        job = venv_job(cloud, name="both")
        found.append(plugin.prepare_env(job, held))

    pair = [threading.Thread(target=prepare) for _ in range(2)]
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join()
    assert len(found) == 2
    assert found[0] == found[1]
    for worker in held.workers:
        python = cloud.home(worker) / ".tpuherd" / "venvs" / f"both-{found[0].key}" / "bin" / "python"
        assert subprocess.run([python, "-c", "import iniconfig"]).returncode == 0


def test_what_another_controller_finished_meanwhile_is_used(cloud, held):
    job = venv_job(cloud, name="waiting")
    worker, folder_name = held.workers[0], f"waiting-{_key(job, held)}"
    venvs = cloud.home(worker) / ".tpuherd" / "venvs"
    venvs.mkdir(parents=True, exist_ok=True)
    lock = subprocess.Popen(["flock", venvs / f"{folder_name}.lock", "sleep", "60"], start_new_session=True)
    try:
        thread = threading.Thread(target=plugin.prepare_env, args=(job, held))
        eventually((venvs / f"{folder_name}.lock").exists)
        thread.start()
        time.sleep(0.7)
        assert not (venvs / folder_name).exists()
        (venvs / folder_name / "bin").mkdir(parents=True)
        (venvs / folder_name / "bin" / "python").symlink_to("/bin/true")
        found = f"python=={platform.python_version()}\niniconfig==2.0.0\n"
        (venvs / folder_name / ".tpuherd-done").write_text(found)
    finally:
        os.killpg(lock.pid, signal.SIGKILL)
        lock.wait()
    thread.join()
    assert (venvs / folder_name / "bin" / "python").readlink() == Path("/bin/true")


def _key(job, held):
    return recipe_for(job, held).key


def test_the_key_is_of_everything_that_it_is_made_from(cloud, held):
    base = _key(venv_job(cloud), held)
    assert base == _key(venv_job(cloud), held)
    assert base == _key(venv_job(cloud, python="python3.11"), held)
    (piece,) = held.slices
    reborn = replace(held, slices=(replace(piece, incarnation="another"),))
    others = [
        _key(venv_job(cloud, python="3.12"), held),
        _key(venv_job(cloud, packages=["iniconfig"]), held),
        _key(venv_job(cloud), reborn),
    ]
    assert len({base, *others}) == 4


@pytest.mark.parametrize("package", ["--index-url=x", "-r other.txt", "a\nb"])
def test_options_are_no_packages(cloud, package):
    with pytest.raises(ConfigError, match=r"venv\.packages"):
        venv_job(cloud, packages=[package])


@pytest.mark.slow
def test_the_exit_code_says_that_the_environment_could_not_be_made(tpuherd_run, tmp_path):
    job = tmp_path / "job.yaml"
    job.write_text(
        "cloud: emulator\ntpu: {accelerator: v5litepod-8, zone: us-west4-a}\njob: {env_type: venv}\n"
        "venv: {packages: [iniconfig==0.0.77]}\ncommand: {cmd: echo never}\n"
    )
    done = tpuherd_run("run", job)
    assert done.exit_code == 6
    assert "iniconfig==0.0.77" in done.stderr
    assert "never" not in done.stdout


def test_a_missing_requirements_file_touches_nothing(tpuherd_run, tpuherd_home, tmp_path):
    job = tmp_path / "job.yaml"
    job.write_text(
        "cloud: emulator\ntpu: {accelerator: v5litepod-8, zone: us-west4-a}\njob: {env_type: venv}\n"
        "venv: {requirements_file: gone.txt}\ncommand: {cmd: echo never}\n"
    )
    done = tpuherd_run("run", job)
    assert done.exit_code == 3
    assert "venv.requirements_file" in done.stderr
    assert not (tpuherd_home / "jobs").exists()
    assert not (tpuherd_home / "emulator").exists()
