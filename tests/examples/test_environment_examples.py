"""The examples of environments, run as they are: `docker.yaml`, `docker_build.yaml` and `conda.yaml`.

What stands in: the image `python:3.11-slim` is made of this machine's Python and comes from a registry on
loopback; the packages of `conda-forge` are made here, and py-rattler solves and
installs them.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
sys.path.append(str(TESTS / "envs"))

import condalike  # noqa: E402 - the folder above
from containers import Podman, needs_podman  # noqa: E402
from registry import registry  # noqa: E402
from roots import add_python, tiny  # noqa: E402

EXAMPLES = TESTS.parent / "examples"
NAME = "localhost/python:3.11-slim"
WORKERS = ["w0", "w1", "w2", "w3"]
SITE = "lib/python3.11/site-packages"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def programs(tpuherd_run, tpuherd_home):
    """The folder of programs of the workers' image; the cloud is up and has no workers yet."""
    assert tpuherd_run("cloud.up").exit_code == 0
    yield tpuherd_home / "emulator" / "image" / "bin"
    tpuherd_run("cloud.down", "--force")


@pytest.fixture(scope="module")
def podman(tmp_path_factory):
    folder = tmp_path_factory.mktemp("podman")
    made = Podman(folder)
    root = tiny(folder)
    add_python(root)
    made.take(root, NAME)
    made("save", "--quiet", "--format", "oci-dir", "--output", str(folder / "oci"), NAME)
    with registry(folder / "oci") as address:
        made.mirror(address)
        yield made
    made.close()


@pytest.fixture
def run_example(podman, programs, tpuherd_run):
    def run(name):
        (programs / "podman").symlink_to(podman.program)
        done = tpuherd_run(
            "run", EXAMPLES / name, "--override", "docker.runtime=podman", timeout_s=500
        )  # docker may be on this machine, too, and knows nothing of that registry
        assert done.exit_code == 0, done.stderr + done.stdout
        return done.stdout

    return run


@needs_podman
def test_a_container(run_example):
    version = re.escape(sys.version.partition(" ")[0])
    said = run_example("docker.yaml").splitlines()
    assert sorted(line[:2] for line in said if re.search(rf"│ {version} ", line)) == WORKERS


@needs_podman
def test_an_image_that_is_built(run_example):
    said = run_example("docker_build.yaml").splitlines()
    built = "│ good morning from an image that this worker built"
    assert sorted(line[:2] for line in said if line.endswith(built)) == WORKERS


def test_a_conda_environment(programs, tpuherd_run, tmp_path):
    rattler = pytest.importorskip("rattler", reason="conda environments are tested with py-rattler")
    forge = tmp_path / "conda-forge"
    python = f'#!/bin/sh\nPYTHONPATH="$CONDA_PREFIX/{SITE}" exec {sys._base_executable} "$@"\n'
    condalike.package(forge, "python", "3.11.9", {"bin/python": python})
    numpy = {f"{SITE}/numpy/__init__.py": '__version__ = "9.9.9"\n'}
    condalike.package(forge, "numpy", "9.9.9", numpy, ("python >=3.11",))
    asyncio.run(condalike.index(forge))
    places = [str(TESTS / "envs"), str(Path(rattler.__file__).parents[1]), *sys.path]
    (programs / "conda").write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {places!r}\n"
        f"import condalike\ncondalike.main({tmp_path.as_uri() + '/'!r})\n"
    )
    (programs / "conda").chmod(0o755)
    done = tpuherd_run("run", EXAMPLES / "conda.yaml", timeout_s=500)
    assert done.exit_code == 0, done.stderr + done.stdout
    assert (
        len(re.findall(rf"^w\d  │ 9\.9\.9 /\S+/{SITE}/numpy/__init__\.py$", done.stdout, re.MULTILINE)) == 4
    )
