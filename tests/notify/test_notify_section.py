"""The section `notify`, and what is refused before anything happens."""

from __future__ import annotations

import pytest

from tpuherd import ConfigError
from tpuherd.engine.opening import check_plan, read_job_file
from tpuherd.hooks import Hooks
from tpuherd_apprise.config import NotifySection

HEAD = "cloud: emulator\ntpu: {accelerator: v5litepod-8, zone: us-west4-a}\ncommand: {cmd: 'true'}\n"


@pytest.fixture
def checked(tpuherd_plugins, tmp_path):
    """Check a job file as `tpuherd run` does, and return its hooks."""

    def check(section):
        path = tmp_path / "job.yaml"
        path.write_text(HEAD + f"notify: {section}\n")
        loaded = read_job_file(tpuherd_plugins, path)
        check_plan(tpuherd_plugins, loaded)
        return Hooks(tpuherd_plugins, loaded.spec)

    return check


def test_what_is_told_is_part_of_the_plan_without_the_address(checked, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_PLACE", "json://user:hidden@127.0.0.1:9/token")
    (tmp_path / "place").write_text("json://127.0.0.1:9/token\n")
    hooks = checked("{urls: [{env: MY_PLACE}, {file: place}], events: [job.failed, 'stage.*']}")
    told = [step.action for step in hooks.plan(tmp_path) if "tell" in step.action]
    assert told == [
        "tell JSON at {env: MY_PLACE} of job.failed, stage.*",
        "tell JSON at {file: place} of job.failed, stage.*",
    ]
    section = hooks.spec.section(NotifySection)
    assert section.most_per_hour == 20


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ("{urls: []}", r"notify\.urls"),
        ("{urls: [json://127.0.0.1/token]}", r"notify\.urls.*an address has a password in it"),
        ("{urls: [{env: NOT_SET_AT_ALL}]}", r"notify\.urls\[0\]: variable NOT_SET_AT_ALL is not set here"),
        ("{urls: [{file: gone}]}", r"notify\.urls\[0\]: cannot read .*gone"),
        ("{urls: [{env: NONSENSE}]}", r"notify\.urls\[0\]: that is no address that Apprise knows"),
        ("{urls: [{env: GOOD}], events: [job.faild]}", "did you mean 'job.failed'"),
        ("{urls: [{env: GOOD}], most_per_hour: 0}", "most_per_hour"),
        ("{events: [diagnosis]}", r"notify\.urls"),
    ],
)
def test_what_makes_no_sense_is_refused(checked, monkeypatch, section, problem):
    monkeypatch.setenv("NONSENSE", "secret-nonsense")
    monkeypatch.setenv("GOOD", "json://127.0.0.1:9/token")
    with pytest.raises(ConfigError, match=problem) as caught:
        checked(section)
    assert "secret-nonsense" not in str(caught.value)
    assert "token" not in str(caught.value).replace(section, "")


def test_without_the_section_nobody_is_told(tpuherd_plugins, job_factory, event, tmp_path):
    spec = job_factory.spec({"command": {"cmd": "true"}})
    hooks = Hooks(tpuherd_plugins, spec)
    assert not [step for step in hooks.plan(tmp_path) if "tell" in step.action]
    hooks.on_event(event("job.ended", "failed"), tmp_path)
