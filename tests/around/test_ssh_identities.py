"""Keys and settings in `~/.ssh` of real workers, and what OpenSSH makes of them."""

from __future__ import annotations

import subprocess

import pytest
from mounts import on

import tpuherd_ssh
from tpuherd.errors import ConfigError, PrepareError
from tpuherd.hooks import Hooks
from tpuherd.manager import make_plugin_manager

ENTRY = "Host git.example.com\n  User git\n  Port 2222\n"
HOST = "git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJYnhHnKN0gFqLmmrUtF0N2Cbi8rRGRkAuWXQQ0JbbbS"


@pytest.fixture(scope="module")
def key(cloud):
    """A key pair on this machine."""
    path = cloud.folder / "id_lab"
    if not path.exists():
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", str(path)]
        subprocess.run(words, check=True, capture_output=True)
    return path


@pytest.fixture
def with_ssh(cloud, held):
    """Jobs with the section; nothing of it is left on the workers."""
    made = []

    def make(**section):
        made.append(cloud.job(tpu={"accelerator": "v5litepod-16"}, ssh=section))
        return made[-1]

    yield make
    tpuherd_ssh.leave_workers(make(), held)
    assert on(made[-1], held, "ls -A ~/.ssh 2>/dev/null; true") == [""] * 4


def planned(job):
    steps = Hooks(make_plugin_manager(), job.spec).plan(job.base_directory)
    return [step.action for step in steps if step.stage == "equip_workers"]


def test_a_private_key_is_copied_only_by_reference(with_ssh, held, key):
    job = with_ssh(identities=[{"private_key": str(key), "public_key": f"{key}.pub"}])
    wanted = f"{{file: {key}}}"
    assert planned(job) == [
        "write ~/.ssh/id_lab.pub",
        f"nothing for the private key id_lab, which stays here: to copy it, write private_key: {wanted}",
    ]
    tpuherd_ssh.equip_workers(job, held)
    assert on(job, held, "ls -A ~/.ssh") == ["id_lab.pub"] * 4
    job = with_ssh(identities=[{"private_key": {"file": str(key)}, "public_key": f"{key}.pub"}])
    assert planned(job) == ["write ~/.ssh/id_lab", "write ~/.ssh/id_lab.pub"]
    tpuherd_ssh.equip_workers(job, held)
    line = "stat -c '%a %n' ~/.ssh/* | sed 's|/.*/||'; ssh-keygen -y -f ~/.ssh/id_lab"
    public = " ".join((key.parent / "id_lab.pub").read_text().split())
    assert on(job, held, line) == [f"600 id_lab\n644 id_lab.pub\n{public}"] * 4
    tpuherd_ssh.leave_workers(job, held)
    assert on(job, held, "ls -A ~/.ssh") == [""] * 4


def test_a_key_from_a_variable(with_ssh, held, key, monkeypatch):
    monkeypatch.setenv("LAB_KEY", key.read_text())
    job = with_ssh(identities=[{"private_key": {"env": "LAB_KEY"}, "name": "deploy"}])
    tpuherd_ssh.equip_workers(job, held)
    on(job, held, "ssh-keygen -y -f ~/.ssh/deploy")
    unnamed = with_ssh(identities=[{"private_key": {"env": "LAB_KEY"}}])
    with pytest.raises(ConfigError, match=r"ssh.identities\[0\].name: a key from a variable has no file"):
        planned(unnamed)


def test_ssh_on_the_worker_heeds_entries_and_known_hosts(with_ssh, held):
    job = with_ssh(identities=[{"config_entry": ENTRY}], known_hosts=[HOST])
    on(job, held, "mkdir -p ~/.ssh; printf 'Host *\\n  Compression yes\\n' > ~/.ssh/config")
    for _ in range(2):
        tpuherd_ssh.equip_workers(job, held)
    said = on(job, held, "ssh -F ~/.ssh/config -G git.example.com")
    for text in said:
        assert {"user git", "port 2222", "compression yes"} <= set(text.splitlines())
        (known,) = [line for line in text.splitlines() if line.startswith("userknownhostsfile")]
        assert known.endswith(".ssh/tpuherd_known_hosts")
    on(
        job,
        held,
        "ssh-keygen -F git.example.com -f ~/.ssh/tpuherd_known_hosts; head -1 ~/.ssh/config | grep Include",
    )
    tpuherd_ssh.leave_workers(job, held)
    assert on(job, held, "cat ~/.ssh/config; rm ~/.ssh/config") == ["Host *\n  Compression yes"] * 4


def test_what_the_job_file_names_no_more_is_removed(with_ssh, held, key):
    first = {"private_key": {"file": str(key)}, "config_entry": ENTRY}
    tpuherd_ssh.equip_workers(with_ssh(identities=[first]), held)
    job = with_ssh(identities=[{"private_key": {"file": str(key)}, "name": "other"}])
    tpuherd_ssh.equip_workers(job, held)
    assert on(job, held, "ls -A ~/.ssh") == ["other"] * 4


def test_files_of_others_are_neither_changed_nor_removed(with_ssh, held, key):
    job = with_ssh(identities=[{"private_key": {"file": str(key)}}])
    on(job, held, "mkdir -p ~/.ssh; echo mine > ~/.ssh/id_lab", workers=[2])
    with pytest.raises(PrepareError, match=r"w2: ~/.ssh/id_lab is another file here") as caught:
        tpuherd_ssh.equip_workers(job, held)
    assert "PRIVATE" not in str(caught.value)
    tpuherd_ssh.leave_workers(job, held)
    assert on(job, held, "cat ~/.ssh/id_lab; rm ~/.ssh/id_lab", workers=[2]) == ["mine"]


@pytest.mark.parametrize(
    ("identity", "text"),
    [
        ({"private_key": {"file": "/no/such"}}, r"ssh.identities\[0\].private_key: cannot read /no/such"),
        ({"public_key": "/no/such.pub"}, r"ssh.identities\[0\].public_key: cannot read /no/such.pub"),
        ({"private_key": {"env": "NO_SUCH"}, "name": "x"}, "variable NO_SUCH is not set here"),
        ({"private_key": {"file": "/etc/passwd"}}, "what it refers to is no private key"),
        ({"public_key": "KEY"}, "is a private key"),
        ({"public_key": "KEY", "name": "config"}, "config in ~/.ssh is no key"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_happens(with_ssh, key, identity, text):
    given = {name: str(key) if value == "KEY" else value for name, value in identity.items()}
    job = with_ssh(identities=[given])
    with pytest.raises(ConfigError, match=text) as caught:
        planned(job)
    assert "root:" not in str(caught.value)


def test_two_keys_of_one_name(with_ssh, key):
    job = with_ssh(identities=[{"private_key": {"file": str(key)}}] * 2)
    with pytest.raises(ConfigError, match="two have the file id_lab"):
        planned(job)


def test_the_key_with_which_this_machine_logs_in(key, job_factory):
    import tpuherd_google

    spec = job_factory({"ssh": {"private_key": str(key)}, "tpu": TPU, "cloud": "google"}).spec
    access = tpuherd_google.connect_cloud(spec, "job-0001").ssh
    assert (access.private_key, access.public_key) == (
        str(key),
        (key.parent / "id_lab.pub").read_text().strip(),
    )


TPU = {"accelerator": "v5litepod-16", "zone": "us-west4-a", "project": "lab"}
