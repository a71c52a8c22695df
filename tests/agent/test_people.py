"""What people start on a worker: shown, ended, and told from what is not theirs."""

from __future__ import annotations

import os
import subprocess

import pytest

from .conftest import wait_for


def by_hand(worker, mark, *argv):
    return subprocess.Popen(argv, env=worker.environment | {"TPUHERD_EXEC_ID": mark}, start_new_session=True)


@pytest.fixture
def command(worker):
    with by_hand(worker, "abc", "/bin/sh", "-c", "sleep 651; true") as process:
        wait_for(lambda: "sleep 651" in commands(worker))
        yield process
        process.kill()


def commands(worker):
    return [process["command"] for process in worker.answer("ps")["processes"]]


def test_a_command_and_an_attempt(worker, other_worker, command):
    worker.start("job.1", "sleep 652")
    wait_for(lambda: "sleep 652" in commands(worker))
    rows = {row["command"]: row for row in worker.answer("ps")["processes"]}
    assert rows["sleep 652"]["attempt"] == "job.1"
    assert rows["sleep 651"]["attempt"] is None
    assert rows["sleep 651"]["memory_bytes"] > 0
    assert commands(other_worker) == []


def test_ending_a_command_ends_all_of_it(worker, command):
    with by_hand(worker, "other", "sleep", "653") as other:
        assert worker.answer("end", "--exec", "abc", "--grace", "5") == {"ended": 2}
        command.wait(60)
        assert other.poll() is None
        assert worker.answer("end", "--exec", "abc", "--grace", "5") == {"ended": 0}
        other.kill()


def test_one_that_ignores_term_is_killed(worker):
    with by_hand(worker, "deaf", "/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.1; done") as process:
        wait_for(lambda: commands(worker))
        worker.answer("end", "--exec", "deaf", "--grace", "0.2")
        assert process.wait(60) == -9


def test_ending_one_process(worker, command):
    pid = next(row["pid"] for row in worker.answer("ps")["processes"] if row["command"] == "sleep 651")
    assert worker.answer("end", "--pid", str(pid), "--grace", "5") == {"ended": 1}
    assert command.wait(60) == 0


def test_a_process_of_others_is_left_alone(worker):
    with subprocess.Popen(["sleep", "654"]) as process:
        code, answer = worker.refusal("end", "--pid", str(process.pid))
        assert (code, process.poll()) == (66, None)
        assert "belongs to tpuherd" in answer["error"]
        process.kill()


def test_what_may_ail_a_worker(worker, tmp_path):
    worker.environment["TMPDIR"] = str(tmp_path)
    told = worker.answer("health")
    assert told["disk"]["free_bytes"] > 0
    assert (told["tpu_lock"], told["attempts"], told["broken_mounts"]) == (None, [], [])
    lock = tmp_path / "libtpu_lockfile"
    with lock.open("w") as file:
        assert [user["pid"] for user in worker.answer("health")["tpu_lock"]["users"]] == [os.getpid()]
        assert worker.answer("unlock") == {"removed": False}
        file.write("x")
    assert worker.answer("health")["tpu_lock"]["users"] == []
    assert worker.answer("unlock") == {"removed": True}
    assert not lock.exists()
    assert worker.answer("unlock") == {"removed": False}


def test_a_folder_that_answers_and_one_that_does_not(tmp_path):
    from tpuherd_agent.health import answers

    assert answers(str(tmp_path))
    assert not answers(str(tmp_path / "gone"))


def test_an_archive_that_breaks_off_changes_nothing(worker):
    """Whoever sends goes away in the middle."""
    code, answer = worker.refusal(
        "receive", "--path", "x", "--token", "t1", "--offset", "0", "--size", "100", "--last", stdin=b"half"
    )
    assert code == 74
    assert "nothing has changed" in answer["error"]
    assert [path.name for path in worker.home.iterdir()] == [".tpuherd"]


def test_more_than_there_is_room_for_is_refused(worker):
    code, answer = worker.refusal("room", "--path", "a/b/c", "--size", str(1 << 60))
    assert code == 74
    assert "MiB free" in answer["error"]
    assert not (worker.home / "a").exists()


def test_a_folder_in_parts_and_back(worker, tmp_path):
    import io

    from tpuherd_agent import tarballs

    source = tmp_path / "source"
    source.mkdir()
    (source / "run.sh").write_text("#!/bin/sh")
    (source / "run.sh").chmod(0o755)
    archive = io.BytesIO()
    tarballs.pack(source, archive)
    data = archive.getvalue()
    words = ("receive", "--path", "a/b/", "--token", "t1")
    worker.answer(*words, "--offset", "0", "--size", "4000", stdin=data[:4000])
    assert not (worker.home / "a" / "b").exists()
    rest = data[4000:]
    worker.answer(*words, "--offset", "4000", "--size", str(len(rest)), "--last", stdin=rest)
    assert (worker.home / "a/b/run.sh").stat().st_mode & 0o111
    assert [path.name for path in (worker.home / "a").iterdir()] == ["b"]
    sent = worker.run("send", "--path", "~/a/b").stdout
    (tmp_path / "back").mkdir()
    top = tarballs.unpack(io.BytesIO(sent), tmp_path / "back", tarballs.UNTRUSTED)
    assert (top / "run.sh").read_text() == "#!/bin/sh"
