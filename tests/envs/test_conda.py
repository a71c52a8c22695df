"""Conda environments.

What is proven: finding or getting the tool, its command line, the environment's life, activation, variables,
failures, and installing real conda packages, which py-rattler solves and installs from a channel in a folder.
What is not: a conda, mamba or micromamba program itself; this machine's package indexes have none.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from clouded import NO_CODE, clouded

pytest.importorskip("rattler", reason="conda environments are tested with py-rattler: uv sync --group dev")

import condalike
import rattler

import tpuherd_command
import tpuherd_conda as plugin
from tpuherd import ConfigError, PrepareError
from tpuherd.remote.environment import command_in

pytestmark = pytest.mark.slow

HELLO = "#!/bin/bash\necho hello from ${CONDA_PREFIX##*/} $FROM_ACTIVATION $FROM_FILE\n"


@pytest.fixture(scope="module")
def channel(tmp_path_factory):
    """A channel with two packages; one has an activation script, as compilers and CUDA do."""
    folder = tmp_path_factory.mktemp("channel")
    condalike.package(
        folder, "base-tools", "2.1", {"etc/conda/activate.d/tools.sh": "export FROM_ACTIVATION=yes\n"}
    )
    condalike.package(folder, "hello", "1.0", {"bin/hello": HELLO}, ("base-tools >=2",))
    condalike.package(
        folder, "hello", "1.5", {"bin/hello": HELLO.replace("hello", "hi")}, ("base-tools >=2",)
    )
    asyncio.run(condalike.index(folder))
    return folder


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    """The program, named as nothing on the workers."""
    program = tmp_path_factory.mktemp("tool") / "program"
    places = [str(Path(condalike.__file__).parent), str(Path(rattler.__file__).parents[1]), *sys.path]
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {places!r}\nimport condalike\ncondalike.main()\n"
    )
    program.chmod(0o755)
    return program


@pytest.fixture(scope="module")
def cloud(tool, tmp_path_factory):
    with clouded(tmp_path_factory.mktemp("conda")) as made:
        (made.directory / "image" / "bin" / "conda").symlink_to(tool)
        yield made


@pytest.fixture
def make(cloud, channel):
    def conda_job(dependencies=("hello ==1.0",), cmd="true", number=1, **conda):
        content = {"channels": [channel.as_uri()], "dependencies": list(dependencies)}
        content["variables"] = {"FROM_FILE": "a b"}
        (cloud.folder / "environment.yml").write_text(yaml.safe_dump(content))
        section = {"name": "work", "config_file": "environment.yml", "tool": "conda", **conda}
        return cloud.job(
            {"conda": section, "command": {"cmd": cmd}},
            job={"env_type": "conda"},
            job_id="conda-0001",
            attempt=number,
        )

    return conda_job


def folder(cloud, worker, made):
    return cloud.home(worker) / ".tpuherd" / "conda" / f"work-{made.key}"


def test_all_workers_get_it_and_the_second_call_only_looks(cloud, held, make):
    made = plugin.prepare_env(make(), held)
    assert made.versions == {"conda-tool": "conda", "hello": "1.0=0", "base-tools": "2.1=0"}
    before = [(folder(cloud, w, made) / "bin" / "hello").lstat().st_ctime_ns for w in held.workers]
    assert plugin.prepare_env(make(), held) == made
    assert [(folder(cloud, w, made) / "bin" / "hello").lstat().st_ctime_ns for w in held.workers] == before


def test_the_work_runs_activated(held, make):
    job = make(cmd='hello; exit "$TPUHERD_WORKER"', number=2)
    end = tpuherd_command.run_workload(job, held, plugin.prepare_env(job, held), NO_CODE)
    assert [worker.code for worker in end.workers if worker.worker == 0] == [0]
    assert end.first_failure.code in {1, 2, 3}
    said = (job.attempt_directory / "worker-0.log").read_text()
    assert said.startswith("hello from work-")
    assert said.endswith("yes a b\n")


def test_commands_by_hand_run_activated(held, make):
    job = make()
    line = command_in(plugin.prepare_env(job, held), NO_CODE, "hello; echo $CONDA_DEFAULT_ENV")
    done = job.session.workers(held, job.cloud.ssh).run(line, timeout_s=60)
    assert {result.stdout.splitlines()[1] for result in done.results} == {"work"}


def test_a_half_made_one_is_made_anew(cloud, held, make):
    made = plugin.prepare_env(make(), held)
    broken = folder(cloud, held.workers[2], made)
    (broken / ".tpuherd-done").unlink()
    (broken / "left-over").touch()
    assert plugin.prepare_env(make(), held) == made
    assert not (broken / "left-over").exists()
    assert (broken / "bin" / "hello").exists()


def test_the_key_is_of_the_file_and_the_vms(held, make):
    (piece,) = held.slices
    reborn = replace(held, slices=(replace(piece, incarnation="another"),))
    keys = [plugin.prepare_env(make(), held).key, plugin.prepare_env(make(), reborn).key]
    keys.append(plugin.prepare_env(make(["hello"]), held).key)
    assert len(set(keys)) == 3


def test_a_package_that_does_not_exist_leaves_nothing(cloud, held, make):
    conda = cloud.home(held.workers[0]) / ".tpuherd" / "conda"
    before = {path.name for path in conda.glob("work-*") if path.suffix != ".lock"}
    with pytest.raises(PrepareError, match=r"(?s)making the conda environment: 0 of 4.*no-such-thing"):
        plugin.prepare_env(make(["no-such-thing"]), held)
    assert {path.name for path in conda.glob("work-*") if path.suffix != ".lock"} == before


def test_a_file_that_is_not_there(held, make):
    with pytest.raises(ConfigError, match=r"conda\.config_file: cannot read .*gone\.yml: No such file"):
        plugin.prepare_env(make(config_file="gone.yml"), held)


def test_a_tool_that_is_not_there(held, make):
    with pytest.raises(PrepareError, match=r"w0: there is no mamba here; conda\.install_from says where"):
        plugin.prepare_env(make(tool="mamba"), held)


class TestInstallFrom:
    """An installer is a shell script that takes `-b -p PREFIX`, as conda's own are."""

    @pytest.fixture
    def installer(self, tool, tmp_path):
        path = tmp_path / "installer.sh"
        path.write_text(f'[ "$1" = -b ] && [ "$2" = -p ] && mkdir -p "$3/bin" && cp {tool} "$3/bin/mamba"\n')
        return path

    def test_an_installer(self, cloud, held, make, installer):
        digest = hashlib.sha256(installer.read_bytes()).hexdigest()
        job = make(tool="mamba", install_from=str(installer), install_sha256=digest)
        assert plugin.prepare_env(job, held).versions["conda-tool"] == "mamba"
        assert (cloud.home(held.workers[3]) / ".tpuherd" / "conda-tool" / "bin" / "mamba").exists()
        assert not list((cloud.home(held.workers[3]) / ".tpuherd").glob("conda-tool.part"))

    def test_a_url(self, held, make, installer):
        url = installer.as_uri().replace("installer.sh", "gone.sh")
        with pytest.raises(
            PrepareError, match=r"w3: file:///.*gone\.sh \(conda\.install_from\) cannot be fetched"
        ):
            plugin.prepare_env(make(tool="micromamba", install_from=url), held)

    def test_another_content(self, held, make, installer):
        job = make(tool="micromamba", install_from=str(installer), install_sha256="0" * 64)
        with pytest.raises(
            PrepareError, match=r"is not what conda\.install_sha256 says: its SHA-256 is \w{64}"
        ):
            plugin.prepare_env(job, held)


def test_a_digest_of_nothing_is_refused(make):
    with pytest.raises(ConfigError, match=r"there is no install_from"):
        make(install_sha256="0" * 64)
