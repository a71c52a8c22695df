"""Whole jobs in containers from the command line, and images of registries that want a password."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import yaml
from clouded import clouded
from containers import IMAGE, needs_podman
from registry import registry
from searching import holding

import tpuherd_docker as plugin
from tpuherd import PrepareError

pytestmark = [needs_podman, pytest.mark.slow]
PASSWORD = "pass word'$x"


@pytest.fixture(scope="module")
def image(podman, tmp_path_factory):
    return podman.build(tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="module")
def address(podman, image, tmp_path_factory):
    layout = tmp_path_factory.mktemp("layout") / "oci"
    podman("save", "--quiet", "--format", "oci-dir", "--output", str(layout), IMAGE)
    with registry(layout, "me", PASSWORD) as served:
        yield served


@pytest.fixture(scope="module")
def cloud(podman, tmp_path_factory):
    with clouded(tmp_path_factory.mktemp("cloud")) as made:
        (made.directory / "image" / "bin" / "podman").symlink_to(podman.program)
        yield made


@pytest.fixture(scope="module")
def held(cloud):
    import tpuherd_tpu_vm

    job = cloud.job(job_id="shared-0001")
    return tpuherd_tpu_vm.provision(job, job.attempt)


@pytest.fixture
def make(cloud, address, monkeypatch):
    def pulling(password=PASSWORD, **docker):
        monkeypatch.setenv("REGISTRY_TOKEN", password)
        login = {"registry": address, "username": "me", "password": {"env": "REGISTRY_TOKEN"}}
        section = {"image": f"{address}/team/tiny:1", "runtime": "podman", "login": login, **docker}
        return cloud.job({"docker": section}, job={"env_type": "docker"}, job_id="pull-0001")

    return pulling


def test_a_wrong_password_is_told_without_it(held, make):
    with pytest.raises(PrepareError, match=r"w0: 127\S+ \(docker\.login\) does not let me in: .") as caught:
        plugin.prepare_env(make(password="not the one"), held)
    assert "not the one" not in str(caught.value)


def test_no_account_where_one_is_wanted(held, make):
    with pytest.raises(PrepareError, match=r"w0: the image \S+/team/tiny:1 cannot be pulled: ."):
        plugin.prepare_env(make(login=None), held)


def test_the_password_gets_it_and_stays_nowhere(cloud, podman, held, make):
    home = cloud.home(held.workers[0])
    made = plugin.prepare_env(make(), held)
    assert made.versions["image"] in podman("images", "--quiet", "--no-trunc", home=home)
    texts = [path for path in home.rglob("*") if path.is_file() and path.stat().st_size < 1e6]
    texts += [path for path in (home.parent / "tmp").rglob("*") if path.is_file()]
    assert [path for path in texts if b"pass word" in path.read_bytes()] == []
    assert [
        path for path in texts if path.name in {"auth.json", "config.json"} and "auths" in path.read_text()
    ] == []


def test_always_asks_the_registry_again(held, make):
    plugin.prepare_env(make(), held)
    with pytest.raises(PrepareError, match="does not let me in"):
        plugin.prepare_env(make(password="not the one", pull="always"), held)
    assert plugin.prepare_env(make(pull="always"), held).versions["runtime"] == "podman"


def test_an_engine_that_is_not_there_or_does_not_work(held, make):
    if shutil.which("docker") and subprocess.run(["docker", "version"], capture_output=True).returncode == 0:
        pytest.skip("docker works here")
    reason = r"w0: (there is no docker here \(docker\.runtime: docker\)|docker is here, but does not work: .)"
    with pytest.raises(PrepareError, match=reason):
        plugin.prepare_env(make(runtime="docker"), held)


@pytest.fixture
def user_cloud(podman, tpuherd_run, tpuherd_home):
    """The emulated cloud of a user; its workers have podman."""
    assert tpuherd_run("cloud.up").exit_code == 0
    (tpuherd_home / "emulator" / "image" / "bin" / "podman").symlink_to(podman.program)
    yield
    tpuherd_run("cloud.down", "--force")


def test_a_whole_job(address, user_cloud, tpuherd_run, tpuherd_home, tmp_path, monkeypatch):
    """From the command line: pulled with a secret, run inside, ended with the exit code of the work."""
    monkeypatch.setenv("REGISTRY_TOKEN", PASSWORD)
    login = {"registry": address, "username": "me", "password": {"env": "REGISTRY_TOKEN"}}
    content = {
        "cloud": "emulator",
        "tpu": {"accelerator": "v5litepod-8", "zone": "us-west4-a"},
        "job": {"env_type": "docker"},
        "docker": {"image": f"{address}/team/tiny:1", "runtime": "podman", "login": login},
        "command": {"cmd": "[ -e /usr/bin/apt-get ] || echo inside; exit 41"},
    }
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(content))
    planned = tpuherd_run("plan", tmp_path / "job.yaml")
    assert f"podman login {address}" in planned.stdout
    assert "--privileged" in planned.stdout
    done = tpuherd_run("run", tmp_path / "job.yaml", timeout_s=200)
    assert done.exit_code == 8, done.stderr
    assert "w0  │ inside" in done.stdout
    assert "41" in done.stderr.partition("time:")[0]
    assert holding(tpuherd_home, PASSWORD) == []
