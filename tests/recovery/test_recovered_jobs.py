"""Whole jobs that lose slices and processes, and go on."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from herd import ZONE, output

pytestmark = pytest.mark.slow

OTHER = "us-central1-a"


def checkpointing(herd, lines=8):
    """A workload that counts on from where its checkpoint is, and whose first attempt does not end by itself.

    The folder of the checkpoints survives the slices, as a bucket would.
    """
    return (
        f"mkdir -p $TPUHERD_CHECKPOINT_DIR; mine=$TPUHERD_CHECKPOINT_DIR/$TPUHERD_WORKER\n"
        f"echo $TPUHERD_STAGE $TPUHERD_RESUME $TPUHERD_RESUME_ARGS >> {herd.shared}/stages-$TPUHERD_WORKER\n"
        f"at=$(cat $mine 2>/dev/null || echo 0); echo begin at $at\n"
        f"while [ $at -lt {lines} ]; do at=$((at + 1)); echo step $at; echo $at > $mine; sleep 0.02; done\n"
        f"if [ $TPUHERD_STAGE = 1 ]; then echo waiting; sleep 600; fi"
    )


def job_file(herd, cmd, zone=ZONE, **sections):
    terms = {
        "checkpoint_directory": f"{herd.shared}/checkpoints/{{job}}",
        "resume_args": "--load-from={checkpoint_directory} --stage={stage}",
        "backoff": {"first_s": 0.2, "longest_s": 1.0},
        **sections.pop("recovery", {}),
    }
    return herd.job(cmd, recovery=terms, tpu={"accelerator": "v5litepod-16", "zone": zone}, **sections)


def stages(herd, worker=0):
    """What each start of the workload was told on a worker."""
    return (herd.shared / f"stages-{worker}").read_text().splitlines()


def history(herd):
    return json.loads(herd.ok("history", "job", "--json"))


def nodes(herd):
    return [node["name"] for node in herd.cloud()["nodes"]]


def has_resumed(herd):
    """Assert that every worker was started twice, and went on from its last step the second time."""
    checkpoints = f"{herd.shared}/checkpoints/{herd.status()['job']}"
    for worker in range(4):
        assert stages(herd, worker) == ["1 0", f"2 1 --load-from={checkpoints} --stage=2"]
        assert herd.log(worker, attempt=2) == ["begin at 8"]


def shells(herd, worker):
    """The processes of a worker's workload that run its script."""
    found = []
    for pid, command in herd.processes().items():
        try:
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"TPUHERD_WORKER={worker}".encode() in variables and "begin at" in command:
            found.append(pid)
    return found


def test_a_preempted_job_goes_on_on_new_slices(cloud):
    """Also if the cloud refuses at first to delete the old ones."""
    controller = cloud.start("run", job_file(cloud, checkpointing(cloud)))
    cloud.until_says(controller, "waiting")
    refusal = ("--method", "DeleteNode", "--code", "PERMISSION_DENIED", "--count", "2")
    cloud.ok("cloud.fault", "api-down", *refusal)
    cloud.ok("cloud.preempt", *nodes(cloud), "--notice-s", "0")

    assert controller.wait(120) == 0, output(controller)
    has_resumed(cloud)
    assert "not given back yet, trying again" in output(controller)
    assert len(cloud.operations("create")) == len(cloud.operations("delete")) == 2
    assert nodes(cloud) == []
    first, second = history(cloud)
    assert (first["class"], first["action"], first["state"]) == ("preempted", "ReplaceSlice", "failed")
    assert "PREEMPTED" in " ".join(first["evidence"]).upper()
    assert (second["class"], second["state"], second["resume"]) == (None, "succeeded", True)
    assert first["ended_at"] <= second["started_at"]


def test_a_crashed_process_is_started_again_in_place(cloud):
    controller = cloud.start("run", job_file(cloud, checkpointing(cloud)))
    cloud.until_says(controller, "waiting")
    healthy = cloud.ends_with(10, "recover", "job", "--dry-run")
    assert "nothing of job" in healthy.stderr
    for pid in shells(cloud, 2):
        os.kill(pid, signal.SIGSEGV)

    assert controller.wait(120) == 0, output(controller)
    has_resumed(cloud)
    assert len(cloud.operations("create")) == 1
    first, second = history(cloud)
    assert (first["action"], first["blamed_worker"]) == ("RestartInPlace", 2)
    assert second["state"] == "succeeded"
    again = [row["stage"] for row in cloud.status()["stages"] if row["attempt"] == 2]
    assert sorted(again) == sorted(
        {"provision", "prepare_env", "sync_code", "run_workload", "collect", "release"}
    )


def test_a_user_error_is_not_tried_again_but_on_demand(cloud):
    flag = cloud.shared / "mended"
    cmd = f"echo started >> {cloud.shared}/ran-$TPUHERD_WORKER; test -e {flag} || exit 3"
    cloud.ends_with(8, "run", job_file(cloud, cmd), "--keep")
    assert [link["class"] for link in history(cloud)] == ["user-error"]
    assert cloud.starts(0) == 1

    told = json.loads(cloud.ok("recover", "job", "--dry-run", "--json"))
    assert (told["class"], told["action"], told["decided"]) == ("user-error", "GiveUp", False)
    assert "recovery.budgets.user-error" in told["reason"]
    assert "gives up" in cloud.ends_with(10, "recover", "job").stderr
    assert cloud.starts(0) == 1

    flag.touch()
    cloud.ok("recover", "job", "--action", "clean")
    assert cloud.starts(0) == 2
    assert len(cloud.operations("create")) == 1
    assert [(link["class"], link["action"], link["state"]) for link in history(cloud)] == [
        ("user-error", "CleanAndRestart", "failed"),
        (None, None, "succeeded"),
    ]
    assert "nothing to recover" in cloud.ends_with(10, "recover", "job", "--dry-run").stderr
    cloud.ok("release", "--job", "job")
    assert nodes(cloud) == []


def test_a_recovery_that_is_killed_again_and_again_happens_once(cloud):
    """In turn: decided, given back in the cloud only, given back by the store, too."""
    job = job_file(cloud, checkpointing(cloud))
    controller = cloud.start("run", job, crash="recovery:")
    cloud.until_says(controller, "waiting")
    cloud.ok("cloud.preempt", *nodes(cloud), "--notice-s", "0")
    assert controller.wait(120) == -signal.SIGKILL, output(controller)

    told = json.loads(cloud.ok("recover", "job", "--dry-run", "--json"))
    assert (told["class"], told["action"], told["decided"]) == ("preempted", "ReplaceSlice", True)
    for point in ("after:release", "stage.ended:release"):
        cloud.ends_with(-signal.SIGKILL, "resume", "job", crash=point)
        assert cloud.status()["attempt"] == 1
    cloud.ok("resume", "job")

    has_resumed(cloud)
    assert len(cloud.operations("create")) == len(cloud.operations("delete")) == 2
    assert [link["class"] for link in history(cloud)] == ["preempted", None]
    decisions = json.loads(cloud.ok("events", "job", "--kind", "diagnosis", "--json"))
    assert len(decisions) == 1


def test_without_capacity_the_job_fails_over_to_another_zone(cloud):
    cloud.ok("cloud.fault", "stockout", "--zone", ZONE)
    failover = {"recovery": {"policy": "failover"}, "failover": {"zones": [ZONE, OTHER]}}
    cloud.ok("run", job_file(cloud, "echo in $TPUHERD_STAGE", **failover))

    first, second = history(cloud)
    assert (first["class"], first["action"], first["held_s"]) == ("stockout", "MoveZone", 0.0)
    assert (second["zone"], second["state"]) == (OTHER, "succeeded")
    assert cloud.log(0, attempt=2) == ["in 2"]
    assert nodes(cloud) == []


def test_slices_that_the_cloud_does_not_take_back_at_first_are_no_failure(cloud):
    cloud.ok("cloud.fault", "rate-limit", "--method", "DeleteNode", "--count", "2")
    done = cloud.ends_with(0, "run", job_file(cloud, "true"))

    assert done.stderr.count("not given back yet, trying again") == 2
    assert nodes(cloud) == []
    assert [link["state"] for link in history(cloud)] == ["succeeded"]


WAITS = '''
"""What our team does."""

from tpuherd import GiveUp, Wait, hookimpl


@hookimpl
def recover(diagnosis, history):
    """Wait twice."""
    return Wait(reason="it may pass", delay_s=1.0) if len(history) < 2 else GiveUp(reason="enough")
'''


def test_a_policy_of_a_module_of_ones_own_waits_and_the_job_goes_on(cloud):
    """First a stage is done again in its attempt, then work that has ended begins again on the same slice."""
    (cloud.root / "site" / "my_team").mkdir(parents=True)
    (cloud.root / "site" / "my_team" / "policy.py").write_text(WAITS)
    cloud.variables["PYTHONPATH"] = str(cloud.root / "site")
    cloud.ok("cloud.fault", "stockout", "--zone", ZONE, "--count", "1")
    job = job_file(cloud, "test $TPUHERD_STAGE = 2 || exit 3", recovery={"policy": "my_team.policy"})
    done = cloud.ends_with(0, "run", job)

    assert done.stderr.count("recovery: Wait: it may pass") == 2
    first, second = history(cloud)
    assert (first["class"], first["action"], first["state"]) == ("user-error", "Wait", "failed")
    assert second["state"] == "succeeded"
    del cloud.variables["PYTHONPATH"]
    assert history(cloud) == [first, second], "it is shown where its policy is not"
    assert len(cloud.operations("delete")) == 1
    events = cloud.status()["events"]
    for number, event in enumerate(events):
        if event["kind"] == "recovery":
            begun = next(one for one in events[number:] if one["kind"] == "stage.started")
            assert begun["at"] - event["at"] >= 0.9
