"""Policies of others: a module that a job file names, and the example plugin."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cases import Policy, failure

from tpuherd import ConfigError, ReplaceSlice

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugins" / "tpuherd-thrifty"
MODULE = '''
"""What our team does: `recovery.policy: my_team.policy`."""

from tpuherd import GiveUp, ReplaceSlice, hookimpl


@hookimpl
def recover(diagnosis, history):
    return GiveUp(reason="enough") if len(history) > 1 else ReplaceSlice(reason="always a new one")
'''


@pytest.fixture
def team(tmp_path, monkeypatch):
    """A package `my_team` that is importable and not installed."""
    (tmp_path / "site" / "my_team").mkdir(parents=True)
    (tmp_path / "site" / "my_team" / "__init__.py").touch()
    (tmp_path / "site" / "my_team" / "policy.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_team"]:
        del sys.modules[name]


def test_a_module_is_picked_by_its_dotted_name(team, job_factory, tpuherd_plugins):
    policy = Policy(job_factory, tpuherd_plugins, recovery={"policy": "my_team.policy"})
    assert policy.says(failure("user-error")) == ReplaceSlice(reason="always a new one")
    assert policy.says(failure("user-error"), *[failure("hung")] * 2).reason == "enough"
    again = Policy(job_factory, tpuherd_plugins, recovery={"policy": "my_team.policy"})
    assert again.says(failure("hung")).reason == "always a new one"


@pytest.mark.parametrize("name", ["my_team.polic", "json.decoder"])
def test_a_module_that_is_none_is_refused_with_file_and_key(team, job_factory, name):
    with pytest.raises(ConfigError, match=rf"job\.yaml: recovery\.policy: .*'{name}'"):
        job_factory({"recovery": {"policy": name}})


@pytest.mark.slow
def test_the_example_policy_passes_its_own_tests(tmp_path):
    """As installed: its metadata is what makes it a plugin."""
    plugin = shutil.copytree(EXAMPLE, tmp_path / "tpuherd-thrifty")
    metadata = plugin / "src" / "tpuherd_thrifty-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tpuherd-thrifty\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text("[tpuherd]\nthrifty = tpuherd_thrifty\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=plugin,
        env=os.environ | {"PYTHONPATH": str(plugin / "src")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
