"""What a virtual environment is made from: JAX for the devices, projects, and what does not fit together."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from clouded import eventually

import tpuherd_venv as plugin
from tpuherd import ConfigError, PrepareError
from tpuherd.envs import make
from tpuherd_venv.config import VenvSection
from tpuherd_venv.installing import recipe_for
from tpuherd_venv.requirements import requirements

TOOLS = Path(__file__).parents[2] / ".tools" / "uv" / "bin"
INDEX = "https://nightly.example/simple"
PROJECT = """\
[project]
name = "My.Project"
dependencies = ["iniconfig==2.0.0"]
[project.optional-dependencies]
train = ["six==1.16.0"]
more_of-it = ["attrs"]
all = ["my-project[train,more-of-it]", "my_project[all]"]
"""

needs_uv = pytest.mark.skipif(
    not (shutil.which("uv") or (TOOLS / "uv").exists()),
    reason="uv makes the environments: put it on PATH, or into .tools/uv/bin",
)


@pytest.fixture(scope="module", autouse=True)
def uv_on_path():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['PATH']}:{TOOLS}")
        yield


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    """A disk of 64 KiB, there before the workers boot: they see no later mounts. `None`: not allowed here."""
    folder = tmp_path_factory.mktemp("disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
    mounted = os.geteuid() == 0 and subprocess.run(mount, capture_output=True).returncode == 0
    yield folder if mounted else None
    if mounted:
        eventually(lambda: subprocess.run(["umount", folder]).returncode == 0)


@pytest.fixture
def small_disk(disk):
    return disk or pytest.skip("only root may mount a small disk")


@pytest.fixture(scope="module")
def cloud(uv_on_path, disk, tmp_path_factory):
    from clouded import clouded

    with clouded(tmp_path_factory.mktemp("inputs")) as made:
        yield made


@pytest.fixture
def wanted(job_factory, tmp_path):
    def lines(devices="tpu", **venv):
        spec = job_factory.spec({"venv": venv, "job": {"env_type": "venv"}, "command": {"cmd": "true"}})
        return requirements(spec.section(VenvSection), tmp_path, devices).split()

    return lines


@pytest.mark.parametrize(
    ("jax", "tpu", "cpu"),
    [
        ("newest", ["jax[tpu]", "requests"], ["jax", "requests"]),
        ("0.10.2", ["jax[tpu]==0.10.2", "requests"], ["jax==0.10.2", "requests"]),
    ],
)
def test_jax_comes_for_the_devices_of_the_cloud(wanted, jax, tpu, cpu):
    assert wanted("tpu", jax=jax) == tpu
    assert wanted("cpu", jax=jax) == cpu


def test_nightly_jax_comes_from_its_own_index(wanted):
    found = wanted("tpu", jax="nightly", jax_nightly_index=INDEX, jax_find_links="https://links.example/x")
    assert found[:4] == ["--find-links", "https://links.example/x", "--extra-index-url", INDEX]
    assert [name.partition(">=0.0.dev0")[0] for name in found[4:]] == ["jax", "jaxlib", "libtpu", "requests"]


@pytest.mark.parametrize(
    ("venv", "message"),
    [
        ({"jax": "nightly"}, r"venv.*nightly needs jax_nightly_index"),
        ({"jax": "latest"}, r"venv\.jax: expected newest, nightly or a version"),
        ({"extras": ["x"]}, r"venv.*extras need project"),
        ({"python": "2.7"}, r"venv\.python: expected a Python version"),
    ],
)
def test_what_does_not_fit_together_is_refused(wanted, venv, message):
    with pytest.raises(ConfigError, match=message):
        wanted(**venv)


def test_a_project_brings_its_dependencies_and_extras(wanted, tmp_path):
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    assert wanted(project="pyproject.toml") == ["iniconfig==2.0.0"]
    assert wanted(project="pyproject.toml", extras=["Train"], packages=["b"]) == [
        "iniconfig==2.0.0",
        "six==1.16.0",
        "b",
    ]
    assert wanted(project="pyproject.toml", extras=["all"]) == ["iniconfig==2.0.0", "six==1.16.0", "attrs"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"venv\.project: cannot read .*pyproject\.toml: No such file"),
        ("[project", r"venv\.project: .*pyproject\.toml: Expected"),
        ("[tool.x]\n", r"has no \[project\] table"),
        ('[project]\nname = "x"\ndynamic = ["dependencies"]\n', r"makes dependencies dynamic; list them"),
        (PROJECT, r"venv\.extras: .* has no extra 'gpu'; it has all, more-of-it, train"),
    ],
)
def test_a_project_that_cannot_be_used(wanted, tmp_path, content, message):
    if content is not None:
        (tmp_path / "pyproject.toml").write_text(content)
    with pytest.raises(ConfigError, match=message):
        wanted(project="pyproject.toml", extras=["gpu"])


def wheel(folder, name, version, needs=()):
    """An empty package, as an index has it."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    with zipfile.ZipFile(folder / name / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{info}/METADATA", metadata + "".join(f"Requires-Dist: {need}\n" for need in needs))
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    links = "".join(f'<a href="{path.name}">{path.name}</a>' for path in (folder / name).glob("*.whl"))
    (folder / name / "index.html").write_text(f"<!DOCTYPE html><html><body>{links}</body></html>")


def venv_job(cloud, **venv):
    sections = {"venv": venv, "environment": {"preflight": False}}
    return cloud.job(sections, job={"env_type": "venv"}, job_id="inputs-0001")


@needs_uv
def test_a_python_that_nobody_has_is_named(cloud, held):
    with pytest.raises(PrepareError, match=r"(?s)0 of 4 workers succeeded.*Python 3\.99"):
        plugin.prepare_env(venv_job(cloud, name="python", python="3.99"), held)
    assert [p for p in cloud.home(held.workers[0]).glob(".tpuherd/venvs/python-*") if p.is_dir()] == []


@needs_uv
@pytest.mark.slow
def test_a_nightly_version_is_really_taken(cloud, held, tmp_path):
    """The newest release elsewhere does not win, and other packages stay with their releases."""
    wheel(tmp_path, "jax", "0.0.1.dev20260101", ["jaxlib"])
    wheel(tmp_path, "jaxlib", "0.0.1.dev20260101")
    job = venv_job(cloud, jax="nightly", jax_nightly_index=tmp_path.as_uri(), packages=["iniconfig==2.0.0"])
    made = plugin.prepare_env(job, held)
    assert made.versions["jax"] == made.versions["jaxlib"] == "0.0.1.dev20260101"
    assert made.versions["iniconfig"] == "2.0.0"


@needs_uv
def test_too_little_room_is_told_for_each_worker_and_nothing_is_touched(cloud, held):
    job = with_room(venv_job(cloud, name="room", packages=["iniconfig==2.0.0"]), 1e6)
    free = r"[\d.]+ GiB are free in \S+, environment\.disk_gib wants 1e\+06"
    with pytest.raises(
        PrepareError, match=rf"0 of 4 workers succeeded; w0: {free}; w1: {free}; w2: .*; w3: "
    ):
        plugin.prepare_env(job, held)
    assert [path for path in cloud.home(held.workers[0]).glob(".tpuherd/venvs/room-*") if path.is_dir()] == []


@needs_uv
def test_a_failed_install_leaves_nothing(cloud, held):
    job = venv_job(cloud, name="failed", packages=["iniconfig==0.0.77"])
    with pytest.raises(PrepareError, match=r"iniconfig==0\.0\.77"):
        plugin.prepare_env(job, held)
    left = {
        path.name for worker in held.workers for path in cloud.home(worker).glob(".tpuherd/venvs/failed-*")
    }
    assert {Path(name).suffix for name in left} <= {".lock"}


@needs_uv
@pytest.mark.slow
def test_a_full_disk_is_told_in_the_words_of_the_installer(cloud, held, small_disk):
    worker = held.workers[1]
    link = cloud.home(worker) / ".tpuherd" / "small"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(small_disk)
    one = replace(held, slices=(replace(held.slices[0], workers=(worker,), incarnation="full"),))
    job = with_room(venv_job(cloud, name="full", packages=["iniconfig==2.0.0"]), 0.0)
    with pytest.raises(PrepareError, match=r"(?s)w1 failed.*No space left on device"):
        make(job, one, replace(recipe_for(job, one), folder="small/full"))
    assert [path.name for path in small_disk.glob("*") if path.is_dir()] == []


def with_room(job, disk_gib):
    section = job.spec.environment.model_copy(update={"disk_gib": disk_gib})
    return replace(job, spec=job.spec.model_copy(update={"environment": section}))
