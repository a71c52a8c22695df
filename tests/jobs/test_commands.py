"""Each command once, its JSON, and one exit code per kind of outcome."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from herd import Herd

TPU = {"accelerator": "v5litepod-8", "zone": "us-west4-a"}


def check_untouched(herd: Herd) -> None:
    """No store, no cloud, no folder."""
    assert not herd.home.exists()
    assert not herd.processes()


@pytest.mark.parametrize(
    "words", [("no-such-task",), ("run",), ("run", "job.yaml", "--no-such-flag"), ("status",)]
)
def test_a_wrong_command_line(herd: Herd, words: tuple[str, ...]) -> None:
    done = herd.ends_with(2, *words)
    assert "Traceback" not in done.stderr
    check_untouched(herd)


@pytest.mark.parametrize("word", ["status", "logs", "cancel", "resume", "exec", "delete"])
def test_a_job_that_does_not_exist(herd: Herd, word: str) -> None:
    more = ["--command", "true"] if word == "exec" else []
    assert "there is no job 'nobody'" in herd.ends_with(10, word, "nobody", *more).stderr


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"tpu": TPU | {"zoen": "x"}}, ("tpu.zoen", "zone")),
        ({"tpu": TPU | {"provision_timeout_s": "soon"}}, ("tpu.provision_timeout_s",)),
        ({"tpu": TPU | {"accelerator": "v5litepod-9"}}, ("tpu.accelerator", "v5litepod-8")),
        ({"cloud": "emulatr"}, ("cloud", "emulator")),
        ({"workload": {"kind": "comand"}}, ("workload.kind", "command")),
        ({"command": {"cmd": "true", "workers": []}}, ("command.workers",)),
        ({"command": {"cmd": "true", "workers": [1]}}, ("command.workers", "no worker 1")),
        ({"tpu": TPU | {"slices": 0}}, ("tpu.slices",)),
    ],
)
def test_a_wrong_job_file(herd: Herd, sections: dict[str, object], said: tuple[str, ...]) -> None:
    path = herd.job(**sections)
    done = herd.ends_with(3, "run", path)
    assert all(word in done.stderr for word in (path.name, *said)), done.stderr
    assert "Traceback" not in done.stderr
    check_untouched(herd)


@pytest.mark.parametrize(
    ("content", "said"), [(None, "missing.yaml"), ("tpu: [", "not valid YAML"), ("- 1", ""), ("", "")]
)
def test_what_is_no_job_file(herd: Herd, content: str | None, said: str) -> None:
    path = herd.root / "missing.yaml"
    if content is not None:
        path.write_text(content)
    done = herd.ends_with(3, "run", path)
    assert said in done.stderr
    assert "missing.yaml" in done.stderr
    assert "Traceback" not in done.stderr
    check_untouched(herd)


def test_a_wrong_option(herd: Herd) -> None:
    done = herd.ends_with(3, "run", herd.job(), "--on-interrupt", "cancle")
    assert "cancel" in done.stderr
    check_untouched(herd)


def test_plan_and_schema_touch_nothing(herd: Herd) -> None:
    path = herd.job("echo hello")
    assert "echo hello" in herd.ok("plan", path)
    assert "echo hello" in json.dumps(json.loads(herd.ok("plan", path, "--json")))
    assert "tpu" in json.loads(herd.ok("config.schema"))["properties"]
    assert any(row["name"] == "emulator" for row in json.loads(herd.ok("plugins.list", "--json")))
    check_untouched(herd)


def test_a_refusal_of_the_cloud(herd: Herd) -> None:
    done = herd.ends_with(5, "run", herd.job(tpu=TPU | {"version": "nope"}))
    assert "nope" in done.stderr
    assert herd.status()["exit_code"] == 5
    herd.nothing_left()


def test_a_workload_that_fails(herd: Herd) -> None:
    path = herd.job(
        "echo the reason >&2; [ $TPUHERD_WORKER = 1 ] && exit 7; sleep 600", accelerator="v5litepod-16"
    )
    done = herd.ends_with(8, "run", path, "--json")
    ended = json.loads(done.stdout)
    assert (ended["state"], ended["exit_code"]) == ("failed", 8)
    assert "worker w1 failed first: it exited with 7" in ended["message"]
    assert "the reason" in ended["message"]
    (stage,) = (row for row in herd.status()["stages"] if row["stage"] == "run_workload")
    assert (stage["state"], stage["error"][:41]) == ("failed", "worker w1 failed first: it exited with 7;")
    assert "failed first" in herd.ok("status", "job")
    herd.nothing_left()


@pytest.mark.slow
def test_an_environment_that_cannot_be_made(herd: Herd) -> None:
    sections = {
        "job": {"env_type": "venv"},
        "venv": {"packages": ["tpuherd-no-such-package-for-tests==9.9"]},
    }
    done = herd.ends_with(6, "run", herd.job(**sections))
    assert "tpuherd-no-such-package-for-tests" in done.stderr
    herd.nothing_left()


@pytest.fixture
def kept(herd: Herd) -> Path:
    """A job that has succeeded on four workers and kept them."""
    path = herd.job('echo "on $TPUHERD_WORKER"', accelerator="v5litepod-16")
    herd.ok("run", path, "--keep")
    return path


@pytest.mark.slow
def test_the_commands_of_a_kept_job(herd: Herd, kept: Path) -> None:
    (row,) = json.loads(herd.ok("list", "--json"))
    assert (row["state"], row["holds"], row["driven_by"]) == ("succeeded", "slices", "")
    assert json.loads(herd.ok("list", "--json", "--live")) == []
    assert row["job"] in herd.ok("list")
    assert [stage["state"] for stage in herd.status()["stages"]] == ["done"] * 5
    assert "run_workload" in herd.ok("status", "job")

    assert sorted(line.rpartition("│ ")[2] for line in herd.ok("logs", "job").splitlines()) == [
        f"on {worker}" for worker in range(4)
    ]
    assert herd.ok("logs", "job", "--worker", 2, "--attempt", 1).count("on ") == 1
    assert "no logs" in herd.ends_with(10, "logs", "job", "--attempt", 2).stderr

    said = herd.ok("exec", "job", "--workers", "1", "--", "printf", "%s|", "two words", "$HOME")
    assert "two words|$HOME|" in said
    rows = json.loads(herd.ok("exec", "job", "--json", "--command", "hostname; echo $((6 * 7))"))
    assert [row["worker"] for row in rows] == [0, 1, 2, 3]
    assert all(row["code"] == 0 for row in rows)
    failing = herd.ends_with(5, "exec", "job", "--workers", "2,3", "--", "sh", "-c", "exit 5")
    assert "w2" in failing.stderr
    herd.ends_with(3, "exec", "job", "--workers", "4", "--", "true")
    herd.ends_with(3, "exec", "job")

    herd.ok("release", "--job", kept)
    herd.nothing_left()
    assert json.loads(herd.ok("list", "--json"))[0]["holds"] == ""
    assert "holds no workers" in herd.ends_with(10, "exec", "job", "--", "true").stderr
    herd.ok("release", "--job", kept)
    assert "on 3" in herd.ok("logs", "job")


@pytest.mark.slow
def test_deleting_a_kept_job_gives_back_and_forgets(herd: Herd, kept: Path) -> None:
    herd.ok("delete", "job")
    herd.nothing_left()
    assert json.loads(herd.ok("list", "--json")) == []
    assert list((herd.home / "jobs").iterdir()) == []
    herd.ends_with(10, "status", "job")
