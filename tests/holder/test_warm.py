"""The warm starter: its children are like the processes that they stand in for."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from herd import wait_for

from tpuherd.holder import frames, place, sockets, starting, warm_place, warm_request
from tpuherd.holder.dropping import close_warm_starters, connections, warm_starters

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
WARM, COLD, START = "warm", "cold", "start"


@pytest.fixture
def starter(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The process id of a starter that knows the command `tell`."""
    monkeypatch.setenv("TPUHERD_PLUGINS", "telling")
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    yield start()
    end_all()


def start() -> int:
    run(START)
    assert wait_for(warm_starters)
    (pid,) = warm_starters()
    return pid


def end_all() -> None:
    for pid in warm_starters():
        os.kill(pid, signal.SIGCONT)
    close_warm_starters()


def script(how: str, *words: object, **more: object) -> subprocess.Popen[str]:
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} | more
    return subprocess.Popen(
        [sys.executable, str(HERE / "calling.py"), how, *map(str, words)],
        text=True,
        **options,
    )


def run(how: str, *words: object, **more: object) -> tuple[int, str]:
    process = script(how, *words, **more)
    said, _ = process.communicate(timeout=60)
    return process.returncode, said


def noted(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def test_a_child_is_like_its_caller(starter: int, tmp_path: Path) -> None:
    place_of_work = tmp_path / "some ü folder"
    place_of_work.mkdir()
    secret = "only-in-memory-4711"
    more = os.environ | {"SECRET": secret, "ODD": "\udce4", "COLUMNS": "33"}
    found = []
    for how in (COLD, WARM):
        (tmp_path / "input").write_text("some input")
        with (tmp_path / "input").open() as stream:
            ended = run(f"odd {how}", "tell", "--code=3", cwd=place_of_work, env=more, stdin=stream)
        assert ended[0] == 3, ended
        found.append(json.loads(ended[1]))
    cold, warm = found
    assert warm.pop("open") <= cold.pop("open") + 1
    assert warm == cold
    assert cold["umask"] == 0o027
    assert cold["env"]["SECRET"] == secret
    assert cold["input"] == "some input"
    kept = [path for path in place.folder().iterdir() if path.is_file()]
    assert kept
    assert not [path for path in kept if secret.encode() in path.read_bytes()]


def test_how_it_ends_is_how_the_caller_ends(starter: int) -> None:
    assert run(WARM, "tell", "--code=7")[0] == 7
    assert run(WARM, "tell", "--dies")[0] == -signal.SIGKILL
    code, said = run(WARM, "tell", "--wrong")
    assert (code, "wrong" in said) == (2, True)
    assert warm_starters() == [starter]


def test_signals_go_on(starter: int) -> None:
    process = script(WARM, "tell", "--code=5", "--waits")
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    for number in (signal.SIGWINCH, signal.SIGQUIT, signal.SIGINT, signal.SIGTERM):
        process.send_signal(number)
        assert process.stdout.readline() == f"{int(number)}\n"
    assert process.communicate(timeout=60)[0] == ""
    assert process.returncode == 5


def test_a_caller_that_is_killed_hangs_up(starter: int, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    process = script(WARM, "tell", "--waits", "--notes", notes)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.kill()
    process.communicate()
    assert wait_for(lambda: f"heard {int(signal.SIGHUP)}" in noted(notes))
    assert run(WARM, "tell", "--code=6")[0] == 6, "it serves others"


def test_ctrl_z_stops_both(starter: int, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    process = script(WARM, "tell", "--waits", "--notes", notes)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    both = (process.pid, int(noted(notes)[0]))
    process.send_signal(signal.SIGTSTP)
    assert wait_for(lambda: [state(pid) for pid in both] == ["T", "T"])
    process.send_signal(signal.SIGCONT)
    assert wait_for(lambda: "T" not in [state(pid) for pid in both])
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_nothing_begins_without_the_word(starter: int, tmp_path: Path) -> None:
    """A caller that has waited too long runs its command itself, and no child does."""
    notes = tmp_path / "notes"
    with sockets.connect(next(place.folder().glob("*.warm"))) as sock:
        frames.send(sock, warm_request.described() | {"argv": ["tpuherd", "tell", "--notes", str(notes)]})
        answer = frames.receive(sock)
        assert answer
    assert wait_for(lambda: not Path(f"/proc/{answer.header['pid']}").exists())
    assert noted(notes) == []


LINKS = """
import os, sys
if "tpuherd.holder.warm" in sys.orig_argv and not os.path.exists({0!r}):
    os.link(__file__, {0!r})
"""


def test_what_changes_while_it_is_imported_is_imported_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when another environment links to the files of a library just then."""
    linked, site = tmp_path / "linked", tmp_path / "site"
    (site / "__pycache__").mkdir(parents=True)  # else the folder itself would change
    (site / "a_library.py").write_text(LINKS.format(str(linked)))
    (site / "using_it.py").write_text("import a_library\n")
    monkeypatch.setenv("TPUHERD_PLUGINS", "telling,using_it")
    monkeypatch.setenv("PYTHONPATH", f"{HERE}:{site}")
    start()
    assert linked.exists()
    assert run(WARM, "tell", "--code=3")[0] == 3
    end_all()


def test_one_that_is_dead_or_hangs_is_not_waited_for(starter: int, tmp_path: Path) -> None:
    os.kill(starter, signal.SIGSTOP)
    notes = tmp_path / "notes"
    assert run(WARM, "tell", "--notes", notes) == (99, "")
    os.kill(starter, signal.SIGCONT)
    assert run(WARM, "tell", "--code=4", "--notes", notes)[0] == 4
    assert len(noted(notes)) == 1, "the one before was never begun"
    os.kill(starter, signal.SIGKILL)
    assert wait_for(lambda: run(WARM, "tell") == (99, ""))
    assert warm_starters() == []
    assert start() != starter


def test_one_that_is_killed_meanwhile_is_said(starter: int, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    process = script(WARM, "tell", "--waits", "--notes", notes)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    os.kill(starter, signal.SIGKILL)
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "how it ended is not known" in said
    assert noted(notes)[1:] == [f"heard {int(signal.SIGTERM)}"]


def test_other_code_has_another_one(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plugin"
    (folder / "__pycache__").mkdir(parents=True)
    plugin = folder / "telling.py"
    plugin.write_text((HERE / "telling.py").read_text())
    monkeypatch.setenv("TPUHERD_PLUGINS", "telling")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    assert wait_for(lambda: run(START) and warm_starters()), "the plugin was written just now"
    assert run(WARM, "tell", "--code=8")[0] == 8
    plugin.write_text(plugin.read_text() + "\n")
    assert run(WARM, "tell") == (99, "")
    assert wait_for(lambda: not warm_starters())


def test_a_plugin_with_a_thread_is_never_forked(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TPUHERD_PLUGINS", "telling")
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.setenv("TPUHERD_TELLING_THREAD", "1")
    pid = start()
    assert run(WARM, "tell") == (99, "")
    run(START)
    assert warm_starters() == [pid]
    end_all()


def test_it_is_seen_and_ended(starter: int) -> None:
    assert warm_starters() == [starter]
    assert connections() == []
    close_warm_starters()
    assert wait_for(lambda: not Path(f"/proc/{starter}").exists() or state(starter) == "Z")
    assert not list(place.folder().glob("*.warm"))


def test_it_ends_by_itself_and_is_not_used_where_none_is_wanted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TPUHERD_HOLDER_IDLE_S", "0")
    run(START)
    assert not place.folder().exists()
    monkeypatch.setenv("TPUHERD_HOLDER_IDLE_S", "0.1")
    run(START)
    assert wait_for(lambda: list(place.folder().glob("*.warm")))
    assert wait_for(lambda: not list(place.folder().glob("*.warm")))
    assert starting.running_holders(warm_place.SUFFIX) == []


def test_who_would_be_another_process_has_another_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {warm_place.socket_path()}
    monkeypatch.setenv("EDITOR", "ed")
    assert {warm_place.socket_path()} == names
    for name in ("TPUHERD_PLUGINS", "PYTHONWARNINGS", "LC_ALL", "TZ"):
        monkeypatch.setenv(name, "other")
        names.add(warm_place.socket_path())
    assert len(names) == 5
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    assert warm_place.socket_path() in names
    resource.setrlimit(resource.RLIMIT_CORE, (0 if limits[0] else 1, limits[1]))
    try:
        assert warm_place.socket_path() not in names
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, limits)
    monkeypatch.setenv("PYTHONPATH", "here")
    with pytest.raises(OSError, match="depends on the current folder"):
        warm_place.socket_path()
