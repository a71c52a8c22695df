"""What an environment needs and is not there is refused by `plan` and `run`, before anything is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tpuherd import ConfigError
from tpuherd.engine.opening import plan_steps, read_job_file
from tpuherd.hooks import Hooks
from tpuherd.manager import make_plugin_manager
from tpuherd_venv.including import whole

if TYPE_CHECKING:
    from pathlib import Path

    from herd import Herd
    from pluggy import PluginManager

    from tpuherd import PlanStep

Section = dict[str, Any]

PROJECT = '[project]\nname = "x"\n[project.optional-dependencies]\ntrain = ["six"]\n'
LOGIN = {"registry": "127.0.0.1:1", "username": "me", "password": {"env": "NO_SUCH_TOKEN"}}


@pytest.mark.parametrize(
    ("kind", "section", "said"),
    [
        ("venv", {"requirements_file": "gone.txt"}, "venv.requirements_file: there is no file"),
        ("venv", {"requirements_file": "includes.txt"}, "venv.requirements_file: cannot read"),
        ("venv", {"requirements_file": "local.txt"}, "line 2: '-e .' is on this machine"),
        ("venv", {"project": "pyproject.toml", "extras": ["gpu"]}, "has no extra 'gpu'; it has train"),
        ("venv", {"project": "gone.toml"}, "venv.project: there is no file"),
        ("conda", {"name": "x", "config_file": "environment.yml"}, "conda.config_file: there is no file"),
        ("conda", {"name": "x", "config_file": "broken.yml"}, "conda.config_file: "),
        ("docker", {"image": "a/b:1", "login": LOGIN}, "docker.login.password: variable NO_SUCH_TOKEN is"),
        ("docker", {"build": {"dockerfile": "gone"}}, "docker.build.dockerfile: there is no file"),
        ("docker", {"build": {"dockerfile": "local.txt", "context": "gone"}}, "docker.build.context: "),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_by_plan(manager: PluginManager, tmp_path: Path, kind: str, section: Section, said: str) -> None:
    write(tmp_path)
    with pytest.raises(ConfigError) as caught:
        planned(manager, tmp_path, {"job": {"env_type": kind}, kind: section})
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "job.yaml"))


@pytest.fixture(scope="module")
def manager() -> PluginManager:
    return make_plugin_manager()


def planned(manager: PluginManager, folder: Path, more: Section) -> list[PlanStep]:
    """What `tpuherd plan` does."""
    tpu = {"accelerator": "v5litepod-8", "zone": "us-west4-a"}
    file = folder / "job.yaml"
    file.write_text(yaml.safe_dump({"cloud": "emulator", "tpu": tpu, "command": {"cmd": "true"}} | more))
    return plan_steps(Hooks(manager, read_job_file(manager, file).spec), str(file))


def write(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "includes.txt").write_text("six\n-r not-there.txt\n")
    (folder / "local.txt").write_text("six\n-e .\n")
    (folder / "broken.yml").write_text("channels: [a\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "more", "said"),
    [
        (
            ["run"],
            {"job": {"env_type": "docker"}, "docker": {"image": "a/b:1", "login": LOGIN}},
            "docker.login.password: variable NO_SUCH_TOKEN is not set here",
        ),
        (
            ["plan"],
            {"job": {"env_type": "venv"}, "venv": {"project": "pyproject.toml", "extras": ["gpu"]}},
            "has no extra 'gpu'; it has train",
        ),
        (["run"], {"env": {"KEY": {"file": "gone.key"}}}, "env.KEY: cannot read"),
    ],
    ids=["a registry's password", "an extra", "a key of the work"],
)
def test_nothing_is_asked_for(herd: Herd, tmp_path: Path, words: list[str], more: Section, said: str) -> None:
    write(tmp_path)
    refused = herd.ends_with(3, *words, herd.job("echo never", **more))
    assert said in refused.stderr.replace("\n", " ")
    assert not (herd.home / "jobs").exists()
    assert not (herd.home / "emulator").exists()


def test_a_file_that_includes_another_one_arrives_whole(manager: PluginManager, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "requirements.txt").write_text("six\n-r more/all.txt\n-c https://example.com/limits.txt\n")
    (tmp_path / "more" / "all.txt").write_text("--requirement=deep.txt\n")
    (tmp_path / "more" / "deep.txt").write_text("iniconfig==2.0.0\n")
    assert whole(tmp_path / "requirements.txt").split() == [
        "six", "iniconfig==2.0.0", "-c", "https://example.com/limits.txt"
    ]  # fmt: skip
    more = {"job": {"env_type": "venv"}, "venv": {"requirements_file": "requirements.txt"}}
    assert any("-r requirements.txt" in step.action for step in planned(manager, tmp_path, more))
    (tmp_path / "more" / "deep.txt").write_text("-r ../requirements.txt\n")
    with pytest.raises(ConfigError, match="includes itself"):
        planned(manager, tmp_path, more)
