"""A job that is preempted, as those see it who are told, who follow its events, and who read its report."""

from __future__ import annotations

import json

import pytest
from herd import ZONE, output, wait_for

pytestmark = pytest.mark.slow

FIRST_SAVES_THEN_WAITS = """
cd $TPUHERD_ATTEMPT_DIR
report() { echo "$1" > new && mv new progress.json; }
echo attempt $TPUHERD_ATTEMPT of $TPUHERD_WORKER
if [ $TPUHERD_ATTEMPT = 1 ]; then
  sleep 2; report '{"step": 5, "total": 9, "checkpoint_step": 5}'
  sleep 1.5; echo waiting; sleep 600
fi
report '{"step": 9, "total": 9, "checkpoint_step": 9}'
"""


def test_a_preempted_job_is_told_followed_and_accounted_for(herd, mailbox):
    herd.ok("cloud.up", "--create-s", "0.5", "--delete-s", "0")
    herd.variables["MAILBOX"] = mailbox.url
    notify = {"urls": [{"env": "MAILBOX"}], "events": ["diagnosis", "recovery", "job.succeeded"]}
    recovery = {"backoff": {"first_s": 0.2, "longest_s": 1.0}}
    tpu = {"accelerator": "v5litepod-16", "zone": ZONE}
    job = herd.job(FIRST_SAVES_THEN_WAITS, tpu=tpu, notify=notify, recovery=recovery)
    controller = herd.start("run", job)
    herd.until_says(controller, "waiting")
    events = herd.start("events", "job", "-f", "--json")
    name = herd.cloud()["nodes"][0]["name"]
    herd.ok("cloud.preempt", name, "--notice-s", "0")

    assert controller.wait(120) == 0, output(controller)
    assert "✗ run_workload " in output(controller)
    assert wait_for(lambda: events.poll() == 0), output(events)
    told = [json.loads(line) for line in output(events).splitlines()]
    failed = [event for event in told if event["kind"] == "stage.failed"]
    assert [event["text"].partition(":")[0] for event in failed] == ["run_workload"]
    assert told[-1]["kind"] == "job.ended"

    job_id = herd.status()["job"]
    assert mailbox.titles == [
        f"{job_id}: diagnosis preempted",
        f"{job_id}: recovery ReplaceSlice",
        f"{job_id}: job.ended succeeded",
    ]
    assert mailbox.url not in output(controller) + output(events) + herd.ok("status", "job", "--json")

    account = json.loads(herd.ok("report", "job", "--json"))["jobs"][0]
    losses = {(one["cause"], one["after"]): one["seconds"] for one in account["losses"]}
    assert losses["lost work", "preempted"] > 1.0
    assert losses["provisioning", "preempted"] > 0.0
    assert account["productive_s"] > 1.0
    assert account["productive_s"] + sum(losses.values()) == pytest.approx(account["total_s"])
    assert account["cost_usd"] == 0.0
    (seen,) = json.loads(herd.ok("monitor", "job", "--json", "--once"))["jobs"]
    assert (seen["state"], seen["attempt"], seen["failure"]) == ("succeeded", 2, "preempted")
    assert (seen["step"], seen["total"], seen["checkpoint_step"]) == (9, 9, 9)
    assert "attempt 2 of " in seen["last_line"]
