"""What a user sees when a hook fails in a whole command."""

from __future__ import annotations

import pytest

from tpuherd import ConfigError, ExitCode


def test_a_plan_that_refuses_is_answered_with_the_file(
    site, tpuherd_run, tpuherd_home, monkeypatch, tmp_path
):
    site.module(
        "strict",
        """
        from tpuherd import ConfigError, hookimpl

        @hookimpl
        def plan(spec):
            raise ConfigError("workload.kind: not on a Friday")

        @hookimpl
        def run_workload(job): ...
        """,
    )
    monkeypatch.setenv("TPUHERD_PLUGINS", "fake_strict")
    job_file = tmp_path / "job.yaml"
    job_file.write_text(
        "cloud: emulator\ntpu: {accelerator: v5litepod-8, zone: us-west4-a}\nworkload: {kind: fake_strict}\n"
    )

    done = tpuherd_run("run", job_file)

    assert done.exit_code == ConfigError.exit_code
    assert f"{job_file}: workload.kind: not on a Friday" in done.stderr
    assert not tpuherd_home.exists()


RAISING = """
    from tpuherd import hookimpl

    @hookimpl
    def run_workload(job, allocation):
        raise ValueError("my own bug")
"""

SILENT_POLICY = """
    from tpuherd import hookimpl

    @hookimpl
    def recover(job, diagnosis, history):
        return None
"""

JOB = "cloud: emulator\ntpu: {accelerator: v5litepod-8, zone: us-west4-a}\n"


@pytest.mark.slow
def test_a_bug_in_a_plugin_ends_a_real_job_with_its_name_and_gives_the_slices_back(
    site, tpuherd_run, monkeypatch, tmp_path
):
    monkeypatch.setenv("TPUHERD_PLUGINS", site.module("raising", RAISING))
    job_file = tmp_path / "job.yaml"
    job_file.write_text(JOB + "workload: {kind: fake_raising}\n")

    done = tpuherd_run("run", job_file)

    assert done.exit_code == ExitCode.PLUGIN_ERROR
    assert "plugin 'fake_raising' failed in hook 'run_workload': ValueError: my own bug" in done.stderr
    assert 'raise ValueError("my own bug")' in done.stderr
    assert "pluggy" not in done.stderr
    assert "everything given back" in done.stderr


@pytest.mark.slow
def test_a_policy_without_an_answer_gives_up(site, tpuherd_run, monkeypatch, tmp_path):
    monkeypatch.setenv("TPUHERD_PLUGINS", site.module("silent", SILENT_POLICY))
    job_file = tmp_path / "job.yaml"
    job_file.write_text(JOB + "recovery: {policy: fake_silent}\ncommand: {cmd: exit 7}\n")

    done = tpuherd_run("run", job_file)

    assert done.exit_code == ExitCode.WORKLOAD_FAILED
    assert "recovery: GiveUp: no recovery policy has an answer" in done.stderr
    assert "worker w0 failed first: it exited with 7" in done.stderr
    assert "everything given back" in done.stderr
