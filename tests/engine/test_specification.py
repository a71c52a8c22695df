"""What agents are told to run."""

from __future__ import annotations

import dataclasses
import os
import subprocess

import pytest

from tpuherd.engine.specification import agent_spec
from tpuherd.engine.variables import COORDINATOR_PORT, PORTS, coordinator_port
from tpuherd.errors import ConfigError
from tpuherd.model.job import Attempt
from tpuherd.model.outcome import Environment, SyncedCode
from tpuherd.remote.environment import command_in
from tpuherd.workload import Launch

ENVIRONMENT = Environment(
    kind="venv",
    key="k",
    variables={"VIRTUAL_ENV": "$HOME/v", "WHO": "environment"},
    path_entries=("$HOME/v/bin", "/opt/bin"),
)
CODE = SyncedCode(kind="worktree", snapshot="s", directory=".tpuherd/code/s")
NONE = SyncedCode(kind="none", snapshot="", directory="")


def spec_of(job_factory, document="", launch=None, worker=0, environment=ENVIRONMENT, code=CODE, **cloud):
    job = job_factory(document)
    job = dataclasses.replace(job, cloud=dataclasses.replace(job.cloud, **cloud))
    held = job_factory.allocation(job)
    return agent_spec(job, held, held.workers[worker], environment, code, launch or Launch(script="true"))


def test_what_runs_where(job_factory):
    spec = spec_of(job_factory, "timeouts: {grace_s: 3}", Launch(script="echo $A", files={"x": "1"}))
    assert spec["attempt"] == "test-0000.1"
    assert spec["argv"] == ["bash", "-c", "echo $A"]
    assert spec["cwd"] == "$HOME/.tpuherd/code/s"
    assert spec["path_entries"] == ["$HOME/v/bin", "/opt/bin"]
    assert (spec["files"], spec["grace_s"], spec["check_devices"]) == ({"x": "1"}, 3.0, True)
    assert spec_of(job_factory, code=NONE)["cwd"] == "$HOME"


def test_a_prefix_comes_first(job_factory):
    inside = Environment(kind="docker", key="k", command_prefix=("docker", "exec", "c"))
    assert spec_of(job_factory, environment=inside)["argv"] == ["docker", "exec", "c", "bash", "-c", "true"]


def test_later_variables_win(job_factory):
    """The cloud's, the environment's, ours, the workload's, the user's."""
    cloud = {"worker_variables": {"WHO": "cloud", "CLOUD": "1", "TPUHERD_WORKER": "no"}}
    assert (
        spec_of(job_factory, **cloud)["environment"] | {"WHO": "environment", "CLOUD": "1"}
        == spec_of(job_factory, **cloud)["environment"]
    )
    workload = Launch(script="true", variables={"WHO": "workload", "TPUHERD_RESUME": "workload"})
    found = spec_of(job_factory, "env: {A: 1, B: true}", workload, worker=2, **cloud)["environment"]
    assert (found["WHO"], found["TPUHERD_RESUME"], found["TPUHERD_WORKER"]) == ("workload", "workload", "2")
    assert (found["A"], found["B"], found["VIRTUAL_ENV"]) == ("1", "true", "$HOME/v")
    assert spec_of(job_factory, "env: {WHO: user}", workload, **cloud)["environment"]["WHO"] == "user"


def test_every_worker_learns_who_it_is(job_factory):
    found = spec_of(job_factory, worker=3)["environment"]
    assert found["TPUHERD_JOB_ID"] == "test-0000"
    assert (found["TPUHERD_ATTEMPT"], found["TPUHERD_RESUME"]) == ("1", "0")
    assert (found["TPUHERD_WORKER"], found["TPUHERD_WORKERS"]) == ("3", "4")
    assert found["JAX_COORDINATOR_PORT"] == str(COORDINATOR_PORT)
    assert "JAX_PROCESS_ID" not in found


def test_one_jax_job_of_several_processes(job_factory):
    several = Launch(script="true", multi_process=True)
    found = spec_of(job_factory, launch=several, worker=3)["environment"]
    assert found["JAX_COORDINATOR_ADDRESS"] == f"10.0.0.2:{COORDINATOR_PORT}"
    assert (found["JAX_NUM_PROCESSES"], found["JAX_PROCESS_ID"]) == ("4", "3")


def test_attempts_that_share_a_loopback_have_ports_of_their_own(job_factory):
    job = job_factory()
    job = dataclasses.replace(job, cloud=dataclasses.replace(job.cloud, shared_network_stack=True))
    attempts = [dataclasses.replace(job, attempt=Attempt(number=number)) for number in range(1, 21)]
    ports = [coordinator_port(attempt) for attempt in attempts]
    assert len(set(ports)) == len(ports)
    assert set(ports) <= set(PORTS)
    assert coordinator_port(attempts[0]) == ports[0]


def test_a_secret_that_is_not_set_names_its_key(job_factory, monkeypatch):
    monkeypatch.delenv("SURELY_NOT_SET", raising=False)
    with pytest.raises(ConfigError, match=r"env\.X_TOKEN: variable SURELY_NOT_SET is not set"):
        spec_of(job_factory, "env: {X_TOKEN: {env: SURELY_NOT_SET}}")


@pytest.mark.parametrize(
    "value", ["plain", "two words", "it's", "$(id)", "`id`", 'quo"te', "a\nb", "$HOMER/x", "*", "$HOME is"]
)
def test_values_of_variables_are_taken_literally(value, tmp_path):
    environment = Environment(kind="x", key="k", variables={"V": value})
    assert _run(command_in(environment, NONE, 'printf %s "$V"'), tmp_path) == value


def test_home_is_the_workers_and_folders_may_have_any_name(tmp_path):
    folder = tmp_path / "code dir's" / "$(id)"
    folder.mkdir(parents=True)
    code = SyncedCode(kind="x", snapshot="s", directory="code dir's/$(id)")
    environment = Environment(
        kind="x", key="k", variables={"A": "$HOME", "B": "$HOME/v w"}, path_entries=("$HOME/b in", "/opt/x")
    )
    said = _run(command_in(environment, code, 'pwd; echo "$A"; echo "$B"; echo "$PATH"'), tmp_path)
    pwd, home, below, path = said.splitlines()
    assert (pwd, home, below) == (str(folder), str(tmp_path), f"{tmp_path}/v w")
    assert path == f"{tmp_path}/b in:/opt/x:/usr/bin:/bin"


def test_a_prefix_gets_the_script_as_one_word(tmp_path):
    environment = Environment(kind="x", key="k", command_prefix=("env", "C=1 2"))
    assert _run(command_in(environment, NONE, "echo \"$C\"; echo 'it is'"), tmp_path) == "1 2\nit is\n"


def _run(command, home):
    variables = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        ["sh", "-c", command], env=variables, capture_output=True, text=True, check=True
    ).stdout


def test_other_launchers_variables_do_not_reach_workloads(tmp_path, monkeypatch):
    """A leaked SLURM_* or OMPI_* makes every JAX process 0 of 1; what the user asks for passes."""
    from tpuherd_agent.attempt import find
    from tpuherd_agent.spec import Spec

    leaked = {"SLURM_JOB_ID": "1", "OMPI_COMM_WORLD_RANK": "1", "PMI_RANK": "1", "PMIX_RANK": "1"}
    for name, value in {**leaked, "SLURMY": "kept"}.items():
        monkeypatch.setenv(name, value)
    spec = Spec(attempt="a.1", script="true", environment={"SLURM_NTASKS": "asked for"})
    found = spec.variables(find("a.1"), tmp_path)
    assert not leaked.keys() & found.keys()
    assert (found["SLURM_NTASKS"], found["SLURMY"]) == ("asked for", "kept")
    assert os.environ["SLURM_JOB_ID"] == "1"
