"""The `docker` section: what is refused, what is planned, and what makes another environment."""

from __future__ import annotations

import pytest

import tpuherd_docker as plugin
from tpuherd import ConfigError
from tpuherd_docker.config import Container
from tpuherd_docker.installing import _recipe

IMAGE = "python:3.11"


@pytest.fixture
def make(job_factory):
    def docker_job(**docker):
        return job_factory(
            {"docker": {"image": IMAGE, **docker}, "job": {"env_type": "docker"}, "command": {"cmd": "true"}}
        )

    return docker_job


@pytest.mark.parametrize(
    ("docker", "message"),
    [
        ({"flags": ["--name=mine"]}, r"docker\.flags: '--name=mine' is tpuherd's own"),
        ({"flags": ["-d"]}, r"docker\.flags: '-d' is tpuherd's own"),
        ({"mount_dirs": ["data:/data"]}, r"docker\.mount_dirs: 'data:/data' is no mount"),
        ({"mount_dirs": ["/data:data"]}, r"docker\.mount_dirs: '/data:data' is no mount"),
        ({"env_vars": ["A"]}, r"docker\.env_vars: 'A' is no variable; write NAME=value"),
        ({"image": "-v /:/host"}, r"docker\.image"),
        ({"login": {"registry": "r", "username": "u", "password": "s3cr3t"}}, r"docker\.login\.password"),
        ({"pull": "sometimes"}, r"docker\.pull: 'sometimes'; .*always"),
    ],
)
def test_what_cannot_work_is_refused(make, docker, message):
    with pytest.raises(ConfigError, match=message) as caught:
        make(**docker)
    assert "s3cr3t" not in str(caught.value)


def test_it_is_carried_out_and_needs_the_flags_of_a_tpu(make):
    spec = make(mount_dirs=["~/data", "$HOME/a:/b:ro", "/c"]).spec
    assert spec.pending() == ()
    assert spec.section(Container).run_flags == ("--net=host", "--privileged")
    assert make(flags=[]).spec.section(Container).run_flags == ()


def test_the_plan_names_image_and_flags_and_no_secret(make):
    login = {"registry": "r.example", "username": "u", "password": {"env": "TOKEN"}}
    steps = [step.action for step in plugin.plan(make(login=login, runtime="podman").spec)]
    assert steps == [
        "podman login r.example",
        f"podman pull {IMAGE} (missing)",
        f"podman run --name tpuherd-JOB.ATTEMPT-wN --net=host --privileged {IMAGE}",
    ]
    assert len(plugin.plan(make(pull="never").spec)) == 1


def test_the_key_is_of_everything_that_it_is_made_from(make):
    def key(incarnation="a", **docker):
        job = make(**docker)
        return _recipe(job, job.spec.section(Container), incarnation).key

    changes = [
        {}, {"image": "python:3.12"}, {"runtime": "podman"}, {"flags": []}, {"workdir": "/x"},
        {"env_vars": ["A=b"]}, {"mount_dirs": ["/x"]},
    ]  # fmt: skip
    keys = {key(), key("b"), *(key(**change) for change in changes)}
    assert len(keys) == 8
