"""Whole jobs that go wrong: `Herd` of the jobs' tests, and podman of the environments' tests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "jobs"), str(TESTS / "envs")]

from containers import IMAGE, Podman, podman  # noqa: E402 - the folders above
from herd import Herd  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["podman"]

PASSWORD = "pass word'$x"


@pytest.fixture(scope="module")
def image(podman: Podman, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The tiny image's name in a registry that wants a password: the workers pull it from there."""
    from registry import registry

    podman.build(tmp_path_factory.mktemp("image"))
    layout = tmp_path_factory.mktemp("layout") / "oci"
    podman("save", "--quiet", "--format", "oci-dir", "--output", str(layout), IMAGE)
    with registry(layout, "me", PASSWORD) as address:
        yield f"{address}/team/tiny:1"


@pytest.fixture(scope="module")
def docker(image: str) -> dict[str, object]:
    """The job file's section for it."""
    login = {
        "registry": image.partition("/")[0],
        "username": "me",
        "password": {"env": "REGISTRY_TOKEN"},
    }
    return {"image": image, "runtime": "podman", "login": login}


@pytest.fixture(scope="module")
def podman_herd(podman: Podman, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Herd]:
    """A user whose emulated workers have podman; nothing of it is left in the end."""
    made = Herd(tmp_path_factory.mktemp("herd"))
    made.variables["REGISTRY_TOKEN"] = PASSWORD
    try:
        made.ok("cloud.up")
        (made.home / "emulator" / "image" / "bin" / "podman").symlink_to(podman.program)
        yield made
    finally:
        made.close()
    made.nothing_left()


@pytest.fixture
def herd(tmp_path: Path) -> Iterator[Herd]:
    """A user, of whom nothing is left after the test."""
    made = Herd(tmp_path)
    yield made
    made.close()
    made.nothing_left()
