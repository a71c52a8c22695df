"""Where holders listen, and who may go there."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tpuherd.errors import ConfigError
from tpuherd.holder import place, sockets

CONNECT = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); input()"


def test_the_folder_is_that_of_the_login_session(home, monkeypatch):
    assert place.folder() == home / "holder"
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1")
    assert place.folder() == Path("/run/user/1/tpuherd")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "relative")
    assert place.folder() == home / "holder"


def test_only_a_private_folder_will_do(tmp_path):
    place.make_private(tmp_path / "new")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    place.make_private(tmp_path / "new")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o750)
    with pytest.raises(PermissionError, match="not a folder of this user alone"):
        place.make_private(tmp_path / "open")
    (tmp_path / "link").symlink_to(tmp_path / "new")
    with pytest.raises(PermissionError, match="not a folder of this user alone"):
        place.make_private(tmp_path / "link")


@pytest.mark.parametrize("text", ["soon", "-1", "inf", "nan"])
def test_a_wrong_number_of_seconds_is_named(home, monkeypatch, text):
    monkeypatch.setenv("TPUHERD_HOLDER_IDLE_S", text)
    with pytest.raises(ConfigError, match=f"TPUHERD_HOLDER_IDLE_S={text}: expected seconds"):
        place.idle_s()


def test_whoever_would_do_something_else_has_another_holder(home, monkeypatch, tmp_path):
    names = {place.socket_name()}
    monkeypatch.setenv("TPUHERD_JOB", "some.yaml")
    monkeypatch.setenv("EDITOR", "ed")
    assert {place.socket_name()} == names
    for name, value in {
        "TPUHERD_PLUGINS": "mine",
        "GOOGLE_APPLICATION_CREDENTIALS": "/key.json",
        "TPUHERD_HOME": str(tmp_path / "other"),
    }.items():
        monkeypatch.setenv(name, value)
        names.add(place.socket_name())
    monkeypatch.setattr(sys, "executable", "/usr/bin/other-python")
    assert len(names | {place.socket_name()}) == 5


def test_another_version_has_another_holder(home, tmp_path):
    """The modules are what counts, as they are when a command starts."""
    stamps = place._source_stamps(str(Path(place.__file__).parent))
    assert len(stamps) >= 10
    assert min(stamps) > 0


def test_a_socket_is_for_its_user_alone_however_long_its_path(tmp_path):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    path = folder / "x.sock"
    with sockets.listen(path) as listener, sockets.connect(path) as client:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        served, _ = listener.accept()
        with served:
            sockets.require_ours(served)
            client.sendall(b"hi")
            assert served.recv(2) == b"hi"


@pytest.mark.skipif(os.getuid() != 0, reason="needs to be two users")
def test_another_users_process_is_refused():
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0tpuherd-test-" + os.urandom(8).hex())  # without a file, whose mode would keep it out
        listener.listen()
        name = listener.getsockname().decode()
        script = CONNECT.replace("sys.argv[1]", repr(name))
        other = subprocess.Popen(["python3", "-c", script], stdin=subprocess.PIPE, user=65534, group=65534)
        try:
            served, _ = listener.accept()
            with served, pytest.raises(PermissionError, match="user 65534"):
                sockets.require_ours(served)
        finally:
            other.communicate(b"\n")
