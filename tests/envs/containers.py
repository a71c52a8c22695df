"""podman for the workers of an emulated cloud, and a tiny image, made of the files of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from clouded import eventually
from roots import tiny

SETTINGS = """\
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]
"""
"""What podman needs where it may not change limits, and has the old kind of cgroups."""

REGISTRIES = """\
unqualified-search-registries = []
short-name-mode = "disabled"
[[registry]]
location = "127.0.0.1"
insecure = true
"""

IMAGE = "localhost/tiny:1"


def why_not() -> str:
    """Why containers cannot be tested here; empty: they can."""
    missing = [name for name in ("podman", "runc", "conmon", "busybox") if not shutil.which(name)]
    if missing:
        return f"containers are tested with podman and runc: apt-get install {' '.join(missing)}"
    return "" if os.geteuid() == 0 else "podman runs as root here: rootless it needs sub-ids of the user"


needs_podman = pytest.mark.skipif(bool(why_not()), reason=why_not())


ENGINES = [
    "podman",
    pytest.param(
        "docker",
        marks=pytest.mark.skipif(not shutil.which("docker"), reason="docker's client is not installed"),
    ),
]
"""docker's client works with podman as its daemon. Containers are then nobody's children on the worker."""


class Podman:
    """A podman whose images and containers are in the home folder of whoever calls it, worker or tester."""

    def __init__(self, folder: Path) -> None:
        self.run = Path(tempfile.mkdtemp(prefix="pods-", dir="/run"))  # podman wants its path to be short
        self.services: list[subprocess.Popen[bytes]] = []
        self.home = folder / "podman-home"
        self.home.mkdir()
        (folder / "containers.conf").write_text(SETTINGS)
        (folder / "registries.conf").write_text(REGISTRIES)
        self.program = folder / "podman"
        self.program.write_text(
            "#!/bin/bash\n"
            f"export CONTAINERS_CONF={folder}/containers.conf\n"
            f"export CONTAINERS_REGISTRIES_CONF={folder}/registries.conf\n"
            f'run="{self.run}/$(cksum <<< "$HOME" | cut -d " " -f 1)"\n'
            'exec /usr/bin/podman --root "$HOME/.podman" --runroot "$run" --storage-driver vfs "$@"\n'
        )
        self.program.chmod(0o755)

    def __call__(self, *words: str, home: Path | None = None, stdin: bytes = b"") -> str:
        """Run podman as a worker would, or with a home folder of our own."""
        done = subprocess.run(
            [self.program, *words],
            env=os.environ | {"HOME": str(home or self.home)},
            input=stdin,
            capture_output=True,
            timeout=120,
        )
        assert done.returncode == 0, f"podman {words}: {done.stderr.decode()}"
        return done.stdout.decode().strip()

    def build(self, folder: Path, name: str = IMAGE) -> Path:
        """Make the tiny image, as a file that `give` puts into the store of a worker."""
        self.take(tiny(folder), name)
        self("save", "--quiet", "--output", str(folder / "image.tar"), name)
        return folder / "image.tar"

    def take(self, root: Path, name: str) -> None:
        """Make an image of a root folder."""
        archive = subprocess.run(["tar", "-C", root, "-c", "."], capture_output=True, check=True)
        self("import", "-", name, stdin=archive.stdout)

    def mirror(self, address: str) -> None:
        """Have a registry stand for the one in which names without a host are looked for."""
        text = 'short-name-mode = "disabled"\nunqualified-search-registries = ["docker.io"]\n'
        text += f'[[registry]]\nprefix = "docker.io"\nlocation = "{address}"\ninsecure = true\n'
        self.program.with_name("registries.conf").write_text(text)

    def give(self, image: Path, home: Path) -> None:
        """Put an image into the store of a worker."""
        self("load", "--quiet", "--input", str(image), home=home)

    def serve(self, home: Path) -> None:
        """Be a docker daemon for a worker: docker's own client finds it through `docker_client`."""
        name = subprocess.run(["cksum"], input=f"{home}\n", capture_output=True, text=True).stdout.split()[0]
        socket = self.run / f"{name}.sock"
        self.services.append(
            subprocess.Popen(
                [self.program, "system", "service", "--time=0", f"unix://{socket}"],
                env=os.environ | {"HOME": str(home)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        eventually(socket.exists)

    def docker_client(self) -> Path:
        """A `docker` that talks to the worker's own daemon."""
        program = self.program.with_name("docker")
        program.write_text(
            "#!/bin/bash\n"
            f'export DOCKER_HOST="unix://{self.run}/$(cksum <<< "$HOME" | cut -d " " -f 1).sock"\n'
            f'exec {shutil.which("docker")} "$@"\n'
        )
        program.chmod(0o755)
        return program

    def close(self) -> None:
        """End the daemons, and remove what containers leave in memory."""
        for service in self.services:
            service.terminate()
            service.wait()
        shutil.rmtree(self.run, ignore_errors=True)

    def running(self, home: Path) -> list[str]:
        """Names of the containers of a worker."""
        return self("ps", "--all", "--format", "{{.Names}}", home=home).splitlines()


@pytest.fixture(scope="module")
def podman(tmp_path_factory):
    """A podman of the module's own."""
    made = Podman(tmp_path_factory.mktemp("podman"))
    yield made
    made.close()


def two_with_image(cloud, podman, folder):
    """Two workers that have the image."""
    import tpuherd_tpu_vm

    job = cloud.job(tpu={"accelerator": "v5litepod-16"}, job_id="shared-0001")
    allocation = tpuherd_tpu_vm.provision(job, job.attempt)
    (piece,) = allocation.slices
    image = podman.build(folder)
    for worker in piece.workers[:2]:
        podman.give(image, cloud.home(worker))
    return replace(allocation, slices=(replace(piece, workers=piece.workers[:2]),))
