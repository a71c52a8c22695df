"""`tpuherd.testing` as a plugin author meets it: in a pytest run of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

from tpuherd import ConfigError, ExitCode, FailureClass, GiveUp, WorkloadExit
from tpuherd.hooks import Hooks
from tpuherd.model.failure import Diagnosis


def run_pytest(folder, source, *words):
    """Run a test file in a fresh pytest with warnings as errors, and the developer's own variables set."""
    (folder / "test_it.py").write_text(dedent(source))
    mine = {"TPUHERD_HOME": str(folder / "mine"), "TPUHERD_JOB": "mine.yaml"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-W",
        "error",
        "-p",
        "no:cacheprovider",
        *words,
        "test_it.py",
    ]
    return subprocess.run(
        command, cwd=folder, env=os.environ | mine, capture_output=True, text=True, timeout=120
    )


def test_pytest_starts_with_it_without_anything_heavy(tmp_path):
    done = run_pytest(
        tmp_path,
        """
        import sys

        def test_light():
            assert "tpuherd.testing" in sys.modules
            heavy = {"pydantic", "grpc", "google.cloud", "sqlalchemy", "paramiko", "fabric", "rich", "yaml"}
            assert heavy & set(sys.modules) == set()
        """,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_home_is_private_and_the_environment_comes_back(tmp_path):
    done = run_pytest(
        tmp_path,
        """
        import os

        def test_inside(tpuherd_home):
            assert {n: v for n, v in os.environ.items() if n.startswith("TPUHERD_")} == {
                "TPUHERD_HOME": str(tpuherd_home)
            }
            os.environ["TPUHERD_DATABASE"] = "left behind"

        def test_after():
            assert os.environ["TPUHERD_HOME"].endswith("mine")
            assert os.environ["TPUHERD_JOB"] == "mine.yaml"
            assert "TPUHERD_DATABASE" not in os.environ
        """,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / "mine").exists()


def test_the_fixtures_explain_themselves(tmp_path):
    done = run_pytest(tmp_path, "", "--fixtures")
    for name in ("tpuherd_home", "tpuherd_plugins", "tpuherd_recorder", "tpuherd_run", "job_factory"):
        assert f"\n{name} " in done.stdout


def test_a_command_gives_exit_code_and_both_streams(tpuherd_run, tmp_path):
    fine = tpuherd_run("list", "--json")
    wrong = tpuherd_run("run", tmp_path / "nothing.yaml")

    assert (fine.exit_code, fine.stdout.strip()) == (ExitCode.SUCCESS, "[]")
    assert (wrong.exit_code, wrong.stdout) == (ExitCode.JOB_FILE_WRONG, "")
    assert "nothing.yaml" in wrong.stderr


def test_a_command_imports_nothing_from_the_current_folder(tpuherd_run, tmp_path, monkeypatch):
    (tmp_path / "pluggy.py").write_text("raise RuntimeError('shadowed')")
    monkeypatch.chdir(tmp_path)
    assert tpuherd_run("plugins.list").exit_code == ExitCode.SUCCESS


def test_a_command_that_takes_too_long_is_killed(tpuherd_run):
    with pytest.raises(subprocess.TimeoutExpired):
        tpuherd_run("list", timeout_s=0.001)


def test_a_manager_is_fresh_for_every_test(tpuherd_plugins, request):
    assert tpuherd_plugins.has_plugin("command")
    assert request.getfixturevalue("job_factory")().spec.workload.kind == "command"


def test_the_recorder_keeps_calls_in_order_until_it_is_stopped(
    tpuherd_plugins, tpuherd_recorder, job_factory
):
    job = job_factory("{command: {cmd: id}, recovery: {policy: give_up}}")
    hooks = Hooks(tpuherd_plugins, job.spec)
    seen = Diagnosis(failure=FailureClass.HUNG, evidence=("quiet",))
    tpuherd_recorder.calls.clear()

    hooks.plan()
    assert isinstance(hooks.recover(job=job, diagnosis=seen, history=[]), GiveUp)

    assert tpuherd_recorder.hooks == ["plan", "recover"]
    assert set(tpuherd_recorder.calls[0].plugins) == {"command", "host", "tpu_vm"}
    assert tpuherd_recorder.calls[1].plugins == ("give_up",)
    assert tpuherd_recorder.calls[1].arguments == {"job": job, "diagnosis": seen, "history": []}
    tpuherd_recorder.stop()
    hooks.plan()
    assert len(tpuherd_recorder.calls) == 2


def test_a_job_has_its_spec_its_workers_and_its_events(job_factory):
    job = job_factory("command: {cmd: nvidia-smi, workers: 1}", attempt=3)
    allocation = job_factory.allocation(job)
    job.session.publish("greeting", "hello")

    assert job.spec.command.cmd == "nvidia-smi"
    assert (job.attempt.number, job.attempt_id) == (3, "test-0000.3")
    assert [worker.name for worker in allocation.workers] == ["w0", "w1", "w2", "w3"]
    assert [(event.attempt, event.kind, event.text) for event in job_factory.events] == [
        (3, "greeting", "hello")
    ]


def test_a_multislice_job_has_distinct_workers(job_factory):
    tpu = {"accelerator": "v5litepod-16", "zone": "us-west4-a", "slices": 2}
    job = job_factory({"tpu": tpu | {"allocation_mode": "queued-resources"}})
    workers = job_factory.allocation(job).workers

    assert [worker.index for worker in workers] == list(range(8))
    assert [worker.slice_worker for worker in workers] == [0, 1, 2, 3] * 2
    assert len({worker.ssh_address for worker in workers}) == 8
    assert len({worker.host_key_name for worker in workers}) == 8


def test_a_job_serves_the_pure_hooks(tpuherd_plugins, job_factory):
    from tpuherd import ExitKind, Observation, WorkerExit
    from tpuherd.observing.gathering import with_findings

    job = job_factory()
    end = WorkerExit(worker=1, kind=ExitKind.EXITED, code=3, ended_at=1.0)
    seen = Observation(stage="run_workload", error="failed", exit=WorkloadExit(workers=(end,)))

    hooks = Hooks(tpuherd_plugins, job.spec)
    found = with_findings(seen, job, [row for _, row in hooks.detectors()])

    (opinion, *_) = hooks.detect_failure(job=job, observation=found)

    assert (opinion.failure, opinion.blamed_worker) == (FailureClass.USER_ERROR, 1)


def test_a_wrong_document_is_refused_as_in_a_job_file(job_factory):
    with pytest.raises(ConfigError, match=r"job\.yaml.*commnd"):
        job_factory({"commnd": {"cmd": "id"}})


LEFT_BEHIND = """
    from pathlib import Path

    JOB = "cloud: emulator\\ntpu: {accelerator: v5litepod-8, zone: us-west4-a}\\n"

    def test_leaves_a_job_behind(tpuherd_run, tpuherd_home, tmp_path):
        job_file = tmp_path / "long.yaml"
        job_file.write_text(JOB + "command: {cmd: sleep 600}\\n")
        assert tpuherd_run("create", job_file).exit_code == 0
        Path("home").write_text(str(tpuherd_home))
"""


@pytest.mark.slow
def test_nothing_is_left_running_after_a_test(tmp_path):
    done = run_pytest(tmp_path, LEFT_BEHIND, f"--basetemp={tmp_path / 'base'}")

    assert done.returncode == 0, done.stdout + done.stderr
    home = Path((tmp_path / "home").read_text())
    deadline = time.monotonic() + 5.0
    while (left := processes_of(home)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []


def processes_of(home):
    """Command lines of the processes whose environment or arguments name a home."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            if str(home).encode() in told:
                found.append((process / "cmdline").read_bytes())
        except OSError:
            continue
    return found
