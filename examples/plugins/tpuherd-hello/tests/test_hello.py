"""The plugin as its users meet it: whole commands, on the emulated cloud."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tpuherd_hello.config import HelloSection

from tpuherd import ConfigError, ExitCode

if TYPE_CHECKING:
    from pluggy import PluginManager

    from tpuherd.testing import CommandRunner, JobFactory

JOB_FILE = Path(__file__).parents[1] / "examples" / "hello.yaml"


def test_every_worker_says_hello(tpuherd_run: CommandRunner) -> None:
    done = tpuherd_run("run", JOB_FILE)

    assert done.exit_code == ExitCode.SUCCESS, done.stderr
    for worker in range(4):
        assert done.stdout.count(f"hello TPU from worker {worker}\n") == 2


def test_a_name_is_a_word_and_no_shell_text(tpuherd_run: CommandRunner) -> None:
    done = tpuherd_run(
        "run", JOB_FILE, "--override", "tpu.accelerator=v5litepod-8", "--override", "hello.name=$(id); x"
    )

    assert done.exit_code == ExitCode.SUCCESS, done.stderr
    assert "hello $(id); x from worker 0\n" in done.stdout


def test_a_wrong_section_touches_nothing(tpuherd_run: CommandRunner, tpuherd_home: Path) -> None:
    done = tpuherd_run("run", JOB_FILE, "--override", "hello.times=0")

    assert done.exit_code == ExitCode.JOB_FILE_WRONG
    assert "hello.times" in done.stderr
    assert not tpuherd_home.exists()


def test_the_section_is_checked(job_factory: JobFactory) -> None:
    job = job_factory({"workload": {"kind": "hello"}, "hello": {"name": "you"}})
    assert job.spec.section(HelloSection).times == 1

    with pytest.raises(ConfigError, match="did you mean 'name'"):
        job_factory({"hello": {"nam": "you"}})


def test_the_plugin_provides_a_workload(tpuherd_plugins: PluginManager) -> None:
    providers = [impl.plugin_name for impl in tpuherd_plugins.hook.run_workload.get_hookimpls()]
    assert "hello" in providers
