"""What the workload of a slice that is about to be preempted gets: SIGTERM, its grace time, and not more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from herd import ZONE, output

if TYPE_CHECKING:
    from herd import Herd

pytestmark = pytest.mark.slow

GRACE_S = 6
LONG_S = 600
"""Far beyond what any of this takes: neither the slice nor the work ends by itself meanwhile."""
WORK = f"""
mkdir -p $TPUHERD_CHECKPOINT_DIR; mine=$TPUHERD_CHECKPOINT_DIR/$TPUHERD_WORKER
if [ $TPUHERD_STAGE = 2 ]; then echo "found $(cat $mine)"; exit 0; fi
if [ $TPUHERD_WORKER = 1 ]; then trap 'echo not yet; echo asked > $mine' TERM
else trap 'echo told; echo asked > $mine; sleep 2 && echo saved > $mine; exit 0' TERM; fi
echo ready
while true; do sleep {LONG_S} & wait; done
"""
"""Worker 1 does not heed SIGTERM; the others save for two seconds, in a process of its own."""


def test_it_is_told_it_may_save_and_it_is_killed_if_it_does_not_end(cloud: Herd) -> None:
    tpu = {"accelerator": "v5litepod-16", "zone": ZONE}
    job = cloud.job(WORK, tpu=tpu, timeouts={"grace_s": GRACE_S}, recovery={"backoff": {"first_s": 0.2}})
    controller = cloud.start("run", job)
    for worker in range(4):
        cloud.until_says(controller, f"w{worker}  │ ready")
    (node,) = cloud.cloud()["nodes"]
    cloud.ok("cloud.preempt", node["name"].rpartition("/")[2], "--notice-s", LONG_S)
    assert controller.wait(120) == 0, output(controller)

    for worker in (0, 2, 3):
        assert [line for line in cloud.log(worker) if line != "Terminated"] == ["ready", "told"]
        assert cloud.log(worker, attempt=2) == ["found saved"]
    stubborn = [line for line in cloud.log(1) if line != "Terminated"]
    assert stubborn == ["ready", "not yet"], "SIGTERM comes once; then it is killed"
    assert cloud.log(1, attempt=2) == ["found asked"]
    first, second = json.loads(cloud.ok("history", "job", "--json"))
    assert (first["class"], first["action"]) == ("preempted", "ReplaceSlice")
    assert "[metadata-preempted]" in " ".join(first["evidence"])
    assert (second["class"], second["resume"]) == (None, True)
    assert len(cloud.operations("create")) == len(cloud.operations("delete")) == 2
