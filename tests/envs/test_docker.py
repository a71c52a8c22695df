"""Containers as environment, with podman and runc: the image is made here, nothing is fetched."""

from __future__ import annotations

import json
import os
import shutil
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from clouded import NO_CODE, clouded, eventually
from containers import ENGINES, IMAGE, needs_podman, two_with_image

import tpuherd_command
import tpuherd_docker as plugin
from tpuherd import ConfigError, PrepareError
from tpuherd.agent.client import Agents
from tpuherd.model.outcome import ExitKind
from tpuherd.remote.environment import command_in

pytestmark = [needs_podman, pytest.mark.slow]


@pytest.fixture(scope="module")
def cloud(podman, tmp_path_factory):
    with clouded(tmp_path_factory.mktemp("docker")) as made:
        (made.directory / "image" / "bin" / "podman").symlink_to(podman.program)
        if shutil.which("docker"):
            (made.directory / "image" / "bin" / "docker").symlink_to(podman.docker_client())
        yield made


@pytest.fixture(scope="module")
def held(cloud, podman, tmp_path_factory):
    """Two workers that have the image, and a service for docker's client."""
    allocation = two_with_image(cloud, podman, tmp_path_factory.mktemp("image"))
    for worker in allocation.workers:
        podman.serve(cloud.home(worker))
    return allocation


@pytest.fixture
def make(cloud):
    """Jobs of which nothing is left in the end."""

    def docker_job(cmd="true", number=1, env=None, **docker):
        section = {"image": IMAGE, "runtime": "podman", "pull": "never", **docker}
        sections = {"docker": section, "command": {"cmd": cmd}, "env": env or {}, "timeouts": {"grace_s": 5}}
        return cloud.job(sections, job={"env_type": "docker"}, job_id="docker-0001", attempt=number)

    return docker_job


def of(runtime, number):
    """Attempts of different engines have different numbers."""
    return number + (100 if runtime == "docker" else 0)


def run(job, held):
    environment = plugin.prepare_env(job, held)
    return tpuherd_command.run_workload(job, held, environment, NO_CODE)


def log(job, worker=0):
    return (job.attempt_directory / f"worker-{worker}.log").read_text()


def test_all_workers_have_the_same_image_and_the_second_call_only_looks(cloud, held, make, podman):
    job = make()
    made = plugin.prepare_env(job, held)
    assert made.versions["runtime"] == "podman"
    assert made.versions["image"] == podman(
        "image", "inspect", "--format", "{{.Id}}", IMAGE, home=cloud.home(held.workers[0])
    )
    program = cloud.home(held.workers[1]) / ".tpuherd" / "containers" / made.key / "bin" / "tpuherd-container"
    before = program.stat()
    assert plugin.prepare_env(job, held) == made
    assert program.stat().st_mtime_ns == before.st_mtime_ns
    program.unlink()
    assert plugin.prepare_env(job, held) == made
    assert program.exists()


@pytest.mark.parametrize("runtime", ENGINES)
def test_the_work_runs_in_it_with_its_variables_and_folders(cloud, held, make, runtime):
    home = cloud.home(held.workers[0])
    (home / "data").mkdir(exist_ok=True)
    (home / "data" / "words").write_text("from the host\n")
    script = """
    [ ! -e /usr/bin/apt-get ] && echo inside
    echo "$SECRET|$TPUHERD_WORKER|$JAX_PLATFORMS|$OF_JOB_FILE|$PWD"
    cat /given/words
    echo left > "$TPUHERD_ATTEMPT_DIR/left"
    """
    (cloud.folder / "secret").write_text("two\nlines of a secret\n")
    job = make(
        script,
        number=of(runtime, 11),
        runtime=runtime,
        env={"SECRET": {"file": str(cloud.folder / "secret")}},
        env_vars=["OF_JOB_FILE=a b'c"],
        mount_dirs=["~/data:/given"],
        workdir="/tmp",
    )
    end = run(job, replace(held, slices=(replace(held.slices[0], workers=held.workers[:1]),)))
    assert end.succeeded, log(job)
    assert "inside" in log(job)
    assert "two\nlines of a secret|0|cpu|a b'c|/tmp" in log(job)
    assert "from the host" in log(job)
    attempt = home / ".tpuherd" / "attempts" / job.attempt_id
    assert (attempt / "left").read_text() == "left\n"
    everything = [path for path in (home / ".tpuherd").rglob("*") if path.is_file()]
    assert [p for p in everything if b"lines of a secret" in p.read_bytes() and p.name != "output.log"] == []


@pytest.mark.parametrize("runtime", ENGINES)
def test_exit_codes_are_those_of_the_work(held, make, runtime):
    end = run(
        make('[ "$TPUHERD_WORKER" = 0 ] || exit 37; sleep 20', number=of(runtime, 2), runtime=runtime), held
    )
    first = end.first_failure
    assert (first.worker, first.kind, first.code) == (1, ExitKind.EXITED, 37)


@pytest.mark.parametrize("runtime", ENGINES)
@pytest.mark.parametrize(
    ("number", "script", "said"),
    [
        (3, 'trap "echo bye; exit 3" TERM; echo up; sleep 1000 & wait', "bye"),
        (4, 'trap "" TERM; echo up; sleep 1000', "up"),
    ],
    ids=["it heeds SIGTERM", "it has to be killed"],
)
def test_stopping_ends_the_container_too(cloud, held, make, podman, number, script, said, runtime):
    number = of(runtime, number)
    job = make(script, number=number, runtime=runtime)
    started = start(job, held)
    homes = [cloud.home(worker) for worker in held.workers]
    names = [f"tpuherd-docker-0001.{number}-w{worker}" for worker in (0, 1)]
    attempts = [home / ".tpuherd" / "attempts" / job.attempt_id / "output.log" for home in homes]
    eventually(lambda: all(path.exists() and "up" in path.read_text() for path in attempts), 60)
    assert [podman.running(home) for home in homes] == [[name] for name in names]

    stopped = started.stop(job.attempt_id, workers=[0, 1], grace_s=30.0 if said == "bye" else 2.0)
    assert not stopped.failed, stopped.summary()
    assert [json.loads(result.stdout)["state"] for result in stopped.results] == ["stopped", "stopped"]
    assert [podman.running(home) for home in homes] == [[], []]
    assert all(said in path.read_text() for path in attempts)


@pytest.mark.parametrize("runtime", ENGINES)
@pytest.mark.parametrize(("number", "victim"), [(5, "run"), (6, "wrapper")])
def test_a_client_that_is_killed_takes_its_container_along(
    cloud, held, make, podman, runtime, number, victim
):
    (cloud.folder / "hush").write_text("hush-hush")
    job = make(
        'echo "up $HUSH"; sleep 1000',
        number=of(runtime, number),
        runtime=runtime,
        env={"HUSH": {"file": str(cloud.folder / "hush")}},
    )
    agents = start(job, held)
    home = cloud.home(held.workers[0])
    attempt = home / ".tpuherd" / "attempts" / job.attempt_id
    eventually(lambda: "up hush-hush" in (attempt / "output.log").read_text(), 60)
    assert not [line for line in command_lines() if b"hush-hush" in line]
    (process,) = clients(job.attempt_id, str(home), victim)
    os.kill(process, signal.SIGKILL)
    eventually((attempt / ".agent" / "exit.json").exists, 60)
    assert podman.running(home) == []
    assert not agents.stop(job.attempt_id, workers=[0, 1], grace_s=2.0).failed


def command_lines():
    """Of all processes of this machine, those in containers included."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes())
    return found


def clients(attempt, home, victim):
    """On a worker, the client that waits for the container of an attempt, or what started that."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        ours = {f"HOME={home}".encode(), f"TPUHERD_ATTEMPT_ID={attempt}".encode()} <= set(variables)
        is_wrapper = any(word.endswith(b"/tpuherd-container") for word in words)
        is_client = b"run" in words and f"tpuherd-{attempt}-w0".encode() in words
        if ours and (is_wrapper if victim == "wrapper" else is_client):
            found.append(int(folder.name))
    return found


def start(job, held):
    """Start the work as `launch` does, and do not wait for it."""
    from tpuherd.engine.specification import agent_spec
    from tpuherd.workload import Launch
    from tpuherd_command.config import CommandSection

    environment = plugin.prepare_env(job, held)
    agents = Agents(job.session.workers(held, job.cloud.ssh))
    agents.install()
    what = Launch(script=job.spec.section(CommandSection).cmd)
    specs = {w.index: agent_spec(job, held, w, environment, NO_CODE, what) for w in held.workers}
    assert not agents.start(specs).failed
    return agents


@pytest.mark.parametrize("runtime", ENGINES)
def test_commands_by_hand_run_in_it_too(held, make, runtime):
    job = make(env_vars=["A=b"], runtime=runtime)
    line = command_in(plugin.prepare_env(job, held), NO_CODE, 'echo "$A $(ls /)"; exit 4')
    done = job.session.workers(held, job.cloud.ssh).run(line, timeout_s=60)
    assert [(result.code, result.stdout.split()[0]) for result in done.results] == [(4, "b"), (4, "b")]
    assert "usr" not in done.results[0].stdout


def test_an_image_that_is_not_there_and_may_not_be_pulled(held, make):
    expected = (
        r"0 of 2 workers succeeded; w0: the image localhost/gone:1 is not here, and docker.pull is never; w1"
    )
    with pytest.raises(PrepareError, match=expected):
        plugin.prepare_env(make(image="localhost/gone:1"), held)


def test_an_image_that_cannot_be_pulled_leaves_nothing(cloud, held, make):
    containers = cloud.home(held.workers[0]) / ".tpuherd" / "containers"
    before = {path.name for path in containers.glob("*") if path.is_dir()}
    with pytest.raises(PrepareError, match=r"w1: the image 127\.0\.0\.1:1/x/y:2 cannot be pulled: .*refused"):
        plugin.prepare_env(make(image="127.0.0.1:1/x/y:2", pull="missing"), held)
    assert {path.name for path in containers.glob("*") if path.is_dir()} == before


def test_workers_with_different_images_are_named(cloud, held, make, podman, tmp_path):
    podman.give(podman.build(tmp_path, "localhost/other:1"), cloud.home(held.workers[0]))
    podman("tag", IMAGE, "localhost/other:1", home=cloud.home(held.workers[1]))
    with pytest.raises(PrepareError, match=r"different versions of image: w0 \w+, w1 \w+"):
        plugin.prepare_env(make(image="localhost/other:1"), held)


def test_a_missing_password_touches_nothing(cloud, held, make, monkeypatch):
    monkeypatch.delenv("NO_SUCH_TOKEN", raising=False)
    login = {"registry": "127.0.0.1:1", "username": "me", "password": {"env": "NO_SUCH_TOKEN"}}
    with pytest.raises(ConfigError, match=r"docker\.login\.password: variable NO_SUCH_TOKEN is not set"):
        plugin.prepare_env(make(login=login), held)
