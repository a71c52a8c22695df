"""Where project and SSH key of Google's cloud come from."""

from __future__ import annotations

import getpass
import json
import shutil
import stat

import pytest

import tpuherd_google as plugin
from tpuherd import ProvisionError
from tpuherd_google import access

CREDENTIALS = ("GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG", *access.PROJECT_VARIABLES)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user without gcloud, on a machine that is not in Google's cloud."""
    for name in CREDENTIALS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path


def log_in(home, quota_project):
    folder = home / "gcloud"
    folder.mkdir()
    credentials = {
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "s",
        "refresh_token": "t",
        "quota_project_id": quota_project,
    }
    (folder / "application_default_credentials.json").write_text(json.dumps(credentials))


def test_the_project_of_the_job_file_wins(home, monkeypatch):
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "from-variable")
    assert access.project("from-file") == "from-file"
    assert access.project(None) == "from-variable"


def test_gclouds_own_variable_is_known_too(home, monkeypatch):
    monkeypatch.setenv("CLOUDSDK_CORE_PROJECT", "from-gcloud")
    assert access.project(None) == "from-gcloud"


def test_without_credentials_the_command_to_run_is_named(home):
    with pytest.raises(ProvisionError, match="`gcloud auth application-default login`"):
        access.project(None)


@pytest.mark.filterwarnings("ignore::UserWarning:google.auth")
def test_credentials_without_a_project_name_the_key(home):
    log_in(home, "")
    with pytest.raises(ProvisionError, match=r"no project: set `tpu\.project`"):
        access.project(None)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen makes the keys; it is not on PATH")
def test_a_key_is_made_once(home, job_factory, monkeypatch):
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p")
    spec = job_factory.spec({"job": {"remote_user": "ada"}})
    cloud = plugin.connect_cloud(spec, "job-0001")
    private = home / ".ssh" / "google_compute_engine"
    assert (cloud.name, cloud.project, cloud.tpu_endpoint, cloud.token) == ("google", "p", None, None)
    assert (cloud.ssh.user, cloud.ssh.private_key, cloud.ssh.port) == ("ada", str(private), 22)
    assert cloud.ssh.public_key == private.with_suffix(".pub").read_text().strip()
    assert cloud.ssh.public_key.startswith("ssh-ed25519 ")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert stat.S_IMODE(private.parent.stat().st_mode) == 0o700

    made = private.read_bytes()
    assert plugin.connect_cloud(spec, "job-0001") == cloud
    assert private.read_bytes() == made
    assert plugin.connect_cloud(job_factory.spec(), "job-0002").ssh.user == getpass.getuser()


def test_without_ssh_keygen_the_error_names_the_key(home, job_factory, monkeypatch):
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p")
    monkeypatch.setenv("PATH", str(home))
    with pytest.raises(ProvisionError, match=r"cannot make the SSH key .*google_compute_engine"):
        plugin.connect_cloud(job_factory.spec(), "job-0001")


def test_a_private_key_without_its_public_half_is_an_error_that_names_it(home, job_factory, monkeypatch):
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p")
    private = home / ".ssh" / "google_compute_engine"
    private.parent.mkdir()
    private.write_text("private")
    with pytest.raises(ProvisionError, match=r"google_compute_engine\.pub"):
        plugin.connect_cloud(job_factory.spec(), "job-0001")
