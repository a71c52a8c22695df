"""`tpuherd gc` on an emulated cloud that has other users."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest
from herd import wait_for

from tpuherd.cloud.labels import JOB, OWNER, STORE
from tpuherd_emulator.info import load

if TYPE_CHECKING:
    from gc_home import GcHome

pytestmark = pytest.mark.slow(15)


def test_only_what_is_ours_and_orphaned_goes(home: GcHome) -> None:
    home.ok("run", home.job(), "--keep")
    (kept,) = home.node_ids()
    labels = dict(home.api.get("get_node", f"nodes/{kept}").labels)
    assert {OWNER, JOB, STORE} <= set(labels)
    home.make_node(f"{kept}-2")
    home.make_node("evil", labels | {OWNER: "eve"})
    home.make_node("other-store", labels | {STORE: "0000"})
    home.make_node("orphan", home.labels("job-dead"))
    home.make_node("expired", home.labels(expires_at=time.time() - 60))
    home.make_node("unexpired", home.labels(expires_at=time.time() + 3600))
    everything = home.node_ids()

    shown = home.gc()
    assert {name: row["verdict"] for name, row in shown.items()} == {
        kept: "stays",
        "other-store": "stays",
        "orphan": "may go",
        "expired": "may go",
        "unexpired": "stays",
    }
    assert home.node_ids() == everything

    said = home.ok("gc")
    assert "orphan" in said
    assert "evil" not in said
    assert home.node_ids() == everything

    gone = home.gc("--yes")
    assert {name for name, row in gone.items() if row["outcome"] == "gone"} == {"orphan", "expired"}
    assert home.node_ids() == everything - {"orphan", "expired"}
    home.ok("release", "--job", "job")


def test_what_another_store_knows_stays_until_long_after_its_expiry(home: GcHome) -> None:
    home.ok("run", home.job(), "--keep", "--ttl", "1h")
    (kept,) = home.node_ids()
    expired = dict(home.api.get("get_node", f"nodes/{kept}").labels) | {"tpuherd-expires": "20260101-000000"}
    home.make_node("forgotten", expired)
    home.variables["TPUHERD_DATABASE"] = f"sqlite:///{home.root / 'another.sqlite'}"
    shown = home.gc("--yes")
    assert shown[kept]["reason"] == "another store knows it"
    assert shown["forgotten"]["outcome"] == "gone"
    assert home.node_ids() == {kept}
    del home.variables["TPUHERD_DATABASE"]
    home.ok("release", "--job", "job")
    assert home.node_ids() == set()


def test_an_api_that_does_not_answer_deletes_nothing(home: GcHome) -> None:
    home.make_node("orphan", home.labels("job-dead"))
    workers = {pid for pid, command in home.processes().items() if "sshd" in command or "serve" in command}
    info = load(home.home / "emulator" / "cloud.json")
    assert info
    os.kill(info.pid, signal.SIGSTOP)
    try:
        done = home.run("gc", "--yes", timeout_s=200)
        assert done.returncode == 5, done.stderr
        assert "Traceback" not in done.stderr
        assert workers <= set(home.processes()) | {info.pid}
    finally:
        os.kill(info.pid, signal.SIGCONT)
    assert home.node_ids() == {"orphan"}


def test_a_store_that_cannot_be_read_deletes_nothing(home: GcHome) -> None:
    home.make_node("orphan", home.labels("job-dead"))
    broken = home.root / "broken.sqlite"
    broken.write_bytes(b"no database at all" * 100)
    home.variables["TPUHERD_DATABASE"] = f"sqlite:///{broken}"
    home.ends_with(10, "gc", "--yes")
    del home.variables["TPUHERD_DATABASE"]
    assert home.node_ids() == {"orphan"}


def test_a_job_that_somebody_drives_is_left_alone(home: GcHome) -> None:
    process = home.start("run", home.job(cmd=home.counting(lines=2000)), "--ttl", "1h")
    home.until_says(process, "line 3")
    (row,) = home.gc("--yes").values()
    assert row["reason"].endswith("is being driven")
    process.kill()
    process.wait()
    (row,) = home.gc("--yes").values()
    assert row["verdict"] == "stays"
    assert "is live" in row["reason"]
    home.ok("cancel", "job")
    assert home.node_ids() == set()


def test_a_live_job_without_controller_goes_when_its_ttl_is_over(home: GcHome) -> None:
    process = home.start("run", home.job(cmd=home.counting(lines=2000)), "--ttl", "20s")
    home.until_says(process, "line 3")
    process.kill()
    process.wait()
    (row,) = home.gc().values()
    assert row["verdict"] == "stays"
    assert wait_for(lambda: home.status()["held_until"] < time.strftime("%Y-%m-%d %H:%M:%S"), 60)
    (row,) = home.gc("--yes").values()
    assert row["outcome"] == "gone", row
    status = home.status()
    assert (status["state"], status["exit_code"], status["holds"]) == ("failed", 13, "")
    assert "ttl of 20s" in status["message"]
    assert home.node_ids() == set()


def test_a_job_whose_watcher_was_killed_is_given_back_through_the_job(home: GcHome) -> None:
    home.ok(
        "run",
        home.job(tpu={"accelerator": "v5litepod-8", "zone": "us-west4-a", "idle_timeout_s": 5}),
        "--keep",
    )
    assert wait_for(home.watchers)
    for pid in home.watchers():
        os.kill(pid, signal.SIGKILL)
    assert wait_for(lambda: next(iter(home.gc().values()))["verdict"] == "may go", 60)
    (row,) = home.gc("--yes").values()
    assert row["outcome"] == "gone", row
    status = home.status()
    assert (status["state"], status["holds"]) == ("succeeded", "")
    assert any(event["kind"] == "job.given-back" for event in status["events"])


def test_a_dead_queued_resource_goes_and_the_node_of_the_same_name_stays(home: GcHome) -> None:
    """The node is somebody else's; a queued resource may have the same name."""
    name = "twin"
    request = {
        "tpu": {
            "node_spec": [
                {
                    "parent": home.api.parent,
                    "node_id": "twin-node",
                    "node": {
                        "accelerator_type": "v5litepod-8",
                        "runtime_version": "v2-alpha-tpuv5-lite",
                        "labels": home.labels("job-dead"),
                    },
                }
            ]
        }
    }
    home.api.change(
        "create_queued_resource",
        parent=home.api.parent,
        queued_resource_id=name,
        queued_resource=request,
    )
    assert wait_for(lambda: home.node_ids() == {"twin-node"})
    home.make_node(name)
    shown = home.gc("--yes")
    assert set(shown) == {"twin-node"}
    assert shown["twin-node"]["outcome"] == "gone"
    assert home.node_ids() == {name}
    assert home.api.listed("list_queued_resources").items == []
