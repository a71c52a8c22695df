"""Files and folders to workers and back: whole or not at all, and k of n named."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from typing import TYPE_CHECKING

import pytest
from herd import wait_for
from keeping import kept_job, lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from herd import Herd

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Herd]:
    with kept_job(tmp_path_factory.mktemp("transfer")) as herd:
        yield herd


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with what is easily lost on the way."""
    folder = tmp_path / "tree"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "a file with spaces").write_text("x")
    (folder / "empty").mkdir()
    (folder / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("run.sh")
    (folder / "-n").write_bytes(bytes(range(256)))
    os.mkfifo(folder / "pipe")
    return folder


def homes(herd: Herd) -> list[Path]:
    return sorted((herd.home / "emulator").glob("workers/*/home"))


def leftovers(herd: Herd) -> list[Path]:
    """What was got ready and not put in place."""
    return [path for home in homes(herd) for path in home.rglob("*.*.tpuherd")]


def test_a_file_to_some_and_back(kept: Herd, tmp_path: Path) -> None:
    source = tmp_path / "data.bin"
    source.write_bytes(os.urandom(3_000_000))
    kept.ok("put", "job", source, "in/put.bin", "--workers", "1-2")
    assert [(home / "in/put.bin").exists() for home in homes(kept)] == [False, True, True, False]
    source.write_bytes(b"newer")
    kept.ok("put", "job", source, "in/put.bin", "--workers", "1")
    assert (homes(kept)[1] / "in/put.bin").read_bytes() == b"newer"

    done = kept.ends_with(9, "get", "job", "in/put.bin", tmp_path / "back", "--json")
    rows = json.loads(done.stdout)
    assert [bool(row["path"]) for row in rows] == [False, True, True, False]
    assert "there is no" in rows[0]["error"]
    assert "came from 2 of 4 workers" in done.stderr
    assert (tmp_path / "back/w1/put.bin").read_bytes() == b"newer"
    assert not leftovers(kept)


def test_a_folder_keeps_what_it_is(kept: Herd, tree: Path, tmp_path: Path) -> None:
    kept.ok("put", "job", tree, "sent/")
    assert lines(kept.ok("exec", "job", "--command", '"$HOME"/sent/tree/link')) == ["ran"] * 4
    kept.ok("get", "job", "sent/tree", tmp_path / "back", "--workers", "3")
    came = tmp_path / "back" / "tree"
    assert (came / "-n").read_bytes() == bytes(range(256))
    assert (came / "deep/er/a file with spaces").read_text() == "x"
    assert (came / "link").readlink().name == "run.sh"
    assert os.access(came / "run.sh", os.X_OK)
    assert (came / "empty").is_dir()
    assert not (came / "pipe").exists()


def test_a_folder_takes_the_place_of_one_only_if_told(kept: Herd, tree: Path, tmp_path: Path) -> None:
    kept.ok("put", "job", tree, "there", "--workers", "0")
    (tree / "run.sh").unlink()
    refused = kept.ends_with(9, "put", "job", tree, "there")
    assert "3 of 4 workers succeeded" in refused.stderr
    assert "add --replace" in refused.stderr
    assert (homes(kept)[0] / "there/run.sh").exists()
    kept.ok("put", "job", tree, "there", "--workers", "0", "--replace")
    assert not (homes(kept)[0] / "there/run.sh").exists()

    kept.ok("get", "job", "there", tmp_path, "--workers", "0")
    assert "add --replace" in kept.ends_with(9, "get", "job", "there", tmp_path, "--workers", "0").stderr
    kept.ok("get", "job", "there", tmp_path, "--workers", "0", "--replace")
    assert not leftovers(kept)
    assert not list(tmp_path.glob("*.tpuherd"))


def test_files_and_folders_do_not_take_each_others_place(kept: Herd, tree: Path) -> None:
    kept.ok("put", "job", tree, "folder")
    assert "is a folder" in kept.ends_with(9, "put", "job", tree / "run.sh", "folder").stderr
    kept.ok("put", "job", tree / "run.sh", "file")
    assert "is a file" in kept.ends_with(9, "put", "job", tree, "file", "--replace").stderr


def test_what_is_not_there(kept: Herd, tmp_path: Path) -> None:
    assert "there is no" in kept.ends_with(3, "put", "job", tmp_path / "nothing", "./").stderr
    assert "0 of 4" in kept.ends_with(9, "get", "job", "nothing", tmp_path).stderr
    file = tmp_path / "file"
    file.touch()
    assert "is no folder" in kept.ends_with(3, "get", "job", "nothing", file).stderr


def test_a_large_file_goes_in_parts(kept: Herd, tmp_path: Path) -> None:
    source = tmp_path / "large"
    block = os.urandom(1 << 20)
    with source.open("wb") as file:
        for _ in range(70):
            file.write(block)
    kept.ok("put", "job", source, "./", "--workers", "0")
    assert not leftovers(kept)
    sums = lines(kept.ok("exec", "job", "--workers", "0", "--command", "sha256sum ~/large"))
    assert sums[0].split()[0] == hashlib.sha256(block * 70).hexdigest()


def test_a_link_out_of_what_a_worker_sends_is_refused(kept: Herd, tmp_path: Path) -> None:
    kept.ok("exec", "job", "--workers", "0", "--command", "mkdir ~/evil; ln -s /etc/passwd ~/evil/link")
    done = kept.ends_with(9, "get", "job", "evil", tmp_path / "back", "--workers", "0")
    assert "no good" in done.stderr
    assert list((tmp_path / "back").iterdir()) == []


def test_ctrl_c_leaves_nothing_half_done(kept: Herd, tmp_path: Path) -> None:
    source = tmp_path / "huge"
    with source.open("wb") as file:
        file.truncate(600 << 20)
    process = kept.start("put", "job", source, "huge")
    assert wait_for(lambda: leftovers(kept), 60)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert wait_for(lambda: not leftovers(kept), 30)
    assert not any((home / "huge").exists() for home in homes(kept))
