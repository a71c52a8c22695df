"""The `docker` section: what is refused, what is planned, and what makes another environment."""

from __future__ import annotations

import pytest

import tpuherd_docker as plugin
from tpuherd import ConfigError
from tpuherd_docker.config import Container
from tpuherd_docker.recipes import pulled

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


def planned(make, tmp_path, **docker):
    return [step.action for step in plugin.plan(make(**docker).spec, tmp_path)]


def test_the_plan_names_image_and_flags_and_no_secret(make, tmp_path, monkeypatch):
    monkeypatch.setenv("TOKEN", "s3cr3t")
    login = {"registry": "r.example", "username": "u", "password": {"env": "TOKEN"}}
    assert planned(make, tmp_path, login=login, runtime="podman") == [
        "podman login r.example",
        f"podman pull {IMAGE} (missing)",
        f"podman run --name tpuherd-JOB.ATTEMPT-wN --net=host --privileged {IMAGE}",
    ]
    assert len(planned(make, tmp_path, pull="never")) == 1


def test_a_password_that_is_not_there_is_refused_by_the_plan(make, tmp_path, monkeypatch):
    monkeypatch.delenv("NO_SUCH_TOKEN", raising=False)
    login = {"registry": "r.example", "username": "u", "password": {"env": "NO_SUCH_TOKEN"}}
    with pytest.raises(ConfigError, match=r"docker\.login\.password: variable NO_SUCH_TOKEN is not set"):
        planned(make, tmp_path, login=login)


@pytest.fixture
def make_built(job_factory):
    def built(**build):
        section = {"docker": {"build": build}, "job": {"env_type": "docker"}, "command": {"cmd": "true"}}
        return job_factory(section)

    return built


def test_the_plan_of_a_dockerfile(make_built, tmp_path):
    (tmp_path / "Dockerfile").touch()
    assert planned(make_built, tmp_path)[0] == f"docker or podman build --file Dockerfile {tmp_path}"
    assert planned(make_built, tmp_path)[1].endswith("--privileged the image")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        ({"context": "gone"}, r"docker\.build\.context: \S+/gone is no folder"),
        ({"context": "sub"}, r"docker\.build\.dockerfile: \S+/Dockerfile is outside of the context \S+/sub"),
        ({"args": {"a-b": "c"}}, r"docker\.build\.args: 'a-b' is no name of a build argument"),
        ({"target": "-x"}, r"docker\.build\.target"),
    ],
)
def test_what_cannot_be_built_is_refused(make_built, tmp_path, build, message):
    (tmp_path / "sub").mkdir()
    (tmp_path / "Dockerfile").touch()
    with pytest.raises(ConfigError, match=message):
        planned(make_built, tmp_path, **build)


def test_either_an_image_or_a_dockerfile(make):
    for docker in ({"build": {}}, {"image": ""}):
        with pytest.raises(ConfigError, match=r"expected either image, or build with a dockerfile"):
            make(**docker)


def test_the_key_is_of_everything_that_it_is_made_from(make):
    def key(incarnation="a", **docker):
        job = make(**docker)
        return pulled(job, job.spec.section(Container), incarnation).key

    changes = [
        {}, {"image": "python:3.12"}, {"runtime": "podman"}, {"flags": []}, {"workdir": "/x"},
        {"env_vars": ["A=b"]}, {"mount_dirs": ["/x"]},
    ]  # fmt: skip
    keys = {key(), key("b"), *(key(**change) for change in changes)}
    assert len(keys) == 8
