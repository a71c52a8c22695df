"""The judge of the emulated cloud: the real gcloud, which knows nothing about it but a few variables."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from tpuherd_emulator import gcloud as settings

GCLOUD = shutil.which("gcloud")
ZONE = "us-central1-a"
RUNTIME = "v2-alpha-tpuv5-lite"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(GCLOUD is None, reason="gcloud is not installed: nobody can judge the emulated cloud"),
]


class Gcloud:
    """gcloud with a home folder and settings of its own."""

    def __init__(self, cloud, folder):
        self.cloud = cloud
        self.home = folder
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "CLOUDSDK_COMPUTE_ZONE": ZONE,
            "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
            **settings.variables(cloud.info, cloud.directory),
        }

    def run(self, *words, track=""):
        argv = [GCLOUD, *([track] if track else []), "compute", "tpus", *words]
        return subprocess.run(argv, env=self.env, capture_output=True, text=True, timeout=240)

    def ok(self, *words, track=""):
        """What it printed."""
        done = self.run(*words, track=track)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *words, track=""):
        return json.loads(self.ok(*words, "--format=json", track=track))


@pytest.fixture(scope="module")
def gcloud(cloud, tmp_path_factory):
    """It makes ~/.ssh keys, and wants them in an agent when it asks several workers."""
    home = tmp_path_factory.mktemp("home")
    made = Gcloud(cloud, home)
    key = home / ".ssh" / "google_compute_engine"
    key.parent.mkdir(mode=0o700)
    subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-N", "", "-f", key], check=True, timeout=60)
    socket = home / "agent"
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
    made.env["SSH_AUTH_SOCK"] = str(socket)
    add = ["ssh-add", "-q", key]
    for _ in range(100):
        if subprocess.run(add, env=made.env, stderr=subprocess.DEVNULL, timeout=60).returncode == 0:
            break
    yield made
    agent.terminate()
    agent.wait(timeout=30)


@pytest.fixture(scope="module")
def node(gcloud):
    """A slice of four workers that gcloud has created."""
    flags = ("--accelerator-type=v5litepod-16", f"--version={RUNTIME}", "--labels=team=judges", "--spot")
    gcloud.ok("tpu-vm", "create", "slice", *flags)
    return "slice"


def test_create_list_and_describe(gcloud, node):
    shown = gcloud.json("tpu-vm", "describe", node)
    assert (shown["state"], shown["health"]) == ("READY", "HEALTHY")
    assert shown["acceleratorType"] == "v5litepod-16"
    assert shown["labels"] == {"team": "judges"}
    assert shown["schedulingConfig"] == {"spot": True}
    assert len(shown["networkEndpoints"]) == 4
    for words in (("list",), ("list", "--zone=-")):
        table = gcloud.ok("tpu-vm", *words).splitlines()
        assert table[1].split()[:5] == [node, ZONE, "v5litepod-16", "V5LITE_POD", "4x4"]
        assert table[1].split()[-1] == "READY"
    filtered = gcloud.json("tpu-vm", "list", "--filter=labels.team=others")
    assert filtered == []


def test_ssh_to_all_workers_and_scp(gcloud, node, tmp_path):
    port = gcloud.cloud.info.ssh_port
    (tmp_path / "note").write_text("judged\n")
    gcloud.ok("tpu-vm", "scp", str(tmp_path / "note"), f"{node}:", "--worker=all", f"--scp-flag=-P {port}")
    command = "--command=echo $TPU_WORKER_ID $(cat note)"
    out = gcloud.ok("tpu-vm", "ssh", node, "--worker=all", command, f"--ssh-flag=-p {port}")
    assert sorted(out.splitlines()) == [f"{number} judged" for number in range(4)]
    failed = gcloud.run("tpu-vm", "ssh", node, "--worker=2", "--command=exit 7", f"--ssh-flag=-p {port}")
    assert failed.returncode == 7
    # Its names for hosts hold the end of the host keys, which it has from the guest attributes.
    known = (gcloud.home / ".ssh" / "google_compute_known_hosts").read_text().split()
    aliases = {word for word in known if word.startswith("tpu.")}
    suffixes = {alias.rpartition("-")[2] for alias in aliases if alias.count("-") == 2}
    assert len(suffixes) == 4
    assert all(any(word.endswith(suffix) for word in known) for suffix in suffixes)
    keys = gcloud.json("tpu-vm", "describe", node)["metadata"]["ssh-keys"]
    assert (gcloud.home / ".ssh" / "google_compute_engine.pub").read_text().split()[1] in keys


def test_update(gcloud, node):
    flags = ("--update-labels=more=yes", "--add-tags=one,two", "--description=for judges", "--internal-ips")
    gcloud.ok("tpu-vm", "update", node, *flags)
    shown = gcloud.json("tpu-vm", "describe", node)
    assert shown["labels"] == {"team": "judges", "more": "yes"}
    assert (shown["tags"], shown["description"]) == (["one", "two"], "for judges")
    assert not any("accessConfig" in endpoint for endpoint in shown["networkEndpoints"])
    nothing = gcloud.run("tpu-vm", "update", node, "--update-labels=more=yes")
    assert nothing.returncode != 0


def test_stop_and_start(gcloud):
    zone = "--zone=us-central1-b"  # of those that sell v2
    by_shape = ("--type=v2", "--topology=2x2", "--version=tpu-ubuntu2204-base")
    gcloud.ok("tpu-vm", "create", "single", *by_shape, zone)
    gcloud.ok("tpu-vm", "stop", "single", zone)
    assert gcloud.ok("tpu-vm", "describe", "single", "--format=value(state)", zone).strip() == "STOPPED"
    gcloud.ok("tpu-vm", "start", "single", zone)
    shown = gcloud.json("tpu-vm", "describe", "single", zone)
    assert (shown["state"], shown["acceleratorType"]) == ("READY", "v2-8")
    gcloud.ok("tpu-vm", "delete", "single", zone)
    gone = gcloud.run("tpu-vm", "describe", "single", zone)
    assert gone.returncode == 1
    assert "NOT_FOUND: Resource 'projects/emulated-project/locations" in gone.stderr


def test_a_node_with_os_login(gcloud):
    flags = ("--accelerator-type=v5litepod-4", f"--version={RUNTIME}", "--metadata=enable-oslogin=TRUE")
    gcloud.ok("tpu-vm", "create", "strict", *flags)
    port = gcloud.cloud.info.ssh_port
    for track in ("", "alpha"):  # the second finds the key in the profile
        words = ("tpu-vm", "ssh", "strict", "--command=echo $USER", f"--ssh-flag=-p {port}")
        assert gcloud.ok(*words, track=track).strip() == gcloud.cloud.info.ssh_user
    (worker,) = gcloud.json("tpu-vm", "get-guest-attributes", "strict", "--query-path=hostkeys/")
    assert worker["key"] == "ssh-ed25519"
    gcloud.ok("tpu-vm", "delete", "strict")


def test_what_is_offered(gcloud):
    assert RUNTIME in gcloud.ok("tpu-vm", "versions", "list").split()
    kinds = gcloud.ok("tpu-vm", "accelerator-types", "list").split()
    assert {"v5litepod-16", "v6e-8"} <= set(kinds)
    assert "v4-8" in gcloud.ok("tpu-vm", "accelerator-types", "list", "--zone=us-central2-b").split()
    locations = {row["locationId"] for row in gcloud.json("locations", "list")}
    assert {ZONE, "us-central2-b", "europe-west4-a"} <= locations


def test_errors_as_people_see_them(gcloud):
    wrong = gcloud.run("tpu-vm", "list", "--zone=us-nowhere1-a")
    assert "Location us-nowhere1-a is not found or access is unauthorized." in wrong.stderr
    flags = ("--accelerator-type=v4-8", f"--version={RUNTIME}")
    wrong = gcloud.run("tpu-vm", "create", "elsewhere", *flags)
    assert "INVALID_ARGUMENT: Invalid accelerator type 'v4-8'" in wrong.stderr


@pytest.mark.parametrize(("track", "tier"), [("", "--spot"), ("alpha", "--best-effort")])
def test_queued_resources(gcloud, track, tier):
    """The two tracks speak two versions of the API, whose messages differ."""
    flags = ("--accelerator-type=v5litepod-4", f"--runtime-version={RUNTIME}", tier)
    gcloud.ok("queued-resources", "create", "q", "--node-count=2", "--node-prefix=n", *flags, track=track)
    wait_until_active(gcloud, track)
    (row,) = gcloud.json("queued-resources", "list", track=track)
    tiers = {"spot", "bestEffort", "guaranteed"} & row.keys()
    assert tiers == {"--spot": {"spot"}, "--best-effort": {"bestEffort"}}[tier]
    nodes = {row["name"].rpartition("/")[2] for row in gcloud.json("tpu-vm", "list", track=track)}
    assert {"n-0", "n-1"} <= nodes
    refused = gcloud.run("queued-resources", "delete", "q", track=track)
    assert "FAILED_PRECONDITION" in refused.stderr
    gcloud.ok("queued-resources", "delete", "q", "--force", track=track)
    assert gcloud.json("queued-resources", "list", track=track) == []


def wait_until_active(gcloud, track):
    for _ in range(60):
        shown = gcloud.json("queued-resources", "describe", "q", track=track)
        if shown["state"]["state"] == "ACTIVE":
            return
    raise AssertionError(shown)


def test_the_alpha_track(gcloud):
    flags = ("--accelerator-type=v5litepod-4", f"--version={RUNTIME}")
    gcloud.ok("tpu-vm", "create", "young", *flags, track="alpha")
    assert gcloud.json("tpu-vm", "describe", "young", track="alpha")["apiVersion"] == "V2_ALPHA1"
    assert gcloud.json("tpu-vm", "describe", "young")["apiVersion"] == "V2"
    early = gcloud.run("tpu-vm", "perform-maintenance", "young", track="alpha")
    assert "FAILED_PRECONDITION" in early.stderr
    gcloud.ok("tpu-vm", "simulate-maintenance-event", "young", "--workers=0", track="alpha")
    wrong = gcloud.run("tpu-vm", "simulate-maintenance-event", "young", "--workers=5", track="alpha")
    assert "has no worker '5'" in wrong.stderr or "is not supported while in state" in wrong.stderr
    assert gcloud.json("reservations", "list", track="alpha") == []
    gcloud.ok("tpu-vm", "delete", "young", track="alpha")


def test_the_users_own_settings_are_left_alone(gcloud, node):
    assert (gcloud.cloud.directory / "gcloud" / "logs").is_dir()
    assert not (gcloud.home / ".config" / "gcloud").exists()
