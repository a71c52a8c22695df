"""What does not depend on the number of workers: making a slice, many jobs, and the start of the command."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import inner_loop_peers as peers
import yaml
from inner_loop_commands import checked, ours
from inner_loop_lab import Lab, lab
from inner_loop_sizes import ZONE, accelerator
from inner_loop_values import OURS, Key, Sample, Samples

if TYPE_CHECKING:
    from pathlib import Path

ZONES = (ZONE, "us-west4-b", "us-west1-c", "us-central1-a", "us-east1-c")
JOBS = 8
SAID = "the work begins"


def create(samples: Samples, workers: int, repeats: int, skip: set[str]) -> None:
    """From the command until the work runs on all workers of a new slice, beyond the cloud's own time."""
    with lab() as found, peers.gcloud(found, ZONE) as gcloud:
        for number in range(repeats):
            sys.stderr.write(f"create on {workers} workers: round {number + 1} of {repeats}\n")
            by = ours("run", job_file(found, name := f"ours-{number:03}", ZONE, workers))
            whole = found.until_said(SAID, workers, by, found.environment)
            samples.add(Key("create_to_command", OURS, workers), beyond(found, name, whole))
            if gcloud and "gcloud" not in skip:
                whole = gcloud_create(found, gcloud, name := f"theirs-{number:03}", workers)
                samples.add(Key("create_to_command", "gcloud", workers), beyond(found, name, whole))


def gcloud_create(found: Lab, gcloud: peers.Gcloud, node: str, workers: int) -> Sample:
    """Its two commands for the same, one after the other."""
    made = found.timed(gcloud.create(node, accelerator(workers)), gcloud.environment)
    ran = found.until_said(SAID, workers, gcloud.ssh(node, f"echo {SAID}"), gcloud.environment)
    gcloud.run(gcloud.delete(node))
    return made + ran


def beyond(found: Lab, name: str, whole: Sample) -> Sample:
    """Without the time that the cloud takes to make the node, by its own account."""
    return Sample(wall_s=whole.wall_s - cloud_s(found, name), cpu_s=whole.cpu_s)


def cloud_s(found: Lab, name: str) -> float:
    """From the call that makes the node of this name until its operation has ended: it is READY then."""
    import grpc
    from google.cloud.tpu_v2 import OperationMetadata
    from google.longrunning import operations_pb2, operations_pb2_grpc

    info = found.info
    request = operations_pb2.ListOperationsRequest(
        name=f"projects/{info.project}/locations/{ZONE}", page_size=1000
    )
    with grpc.insecure_channel(info.tpu_endpoint) as channel:
        answer = operations_pb2_grpc.OperationsStub(channel).ListOperations(
            request, metadata=[("authorization", f"Bearer {info.token}")]
        )
    every = [OperationMetadata.deserialize(operation.metadata.value) for operation in answer.operations]
    (one,) = [operation for operation in every if operation.verb == "create" and name in operation.target]
    return float((one.end_time - one.create_time).total_seconds())


def fleet(samples: Samples, repeats: int, skip: set[str]) -> None:
    """Looking at what is there: eight jobs that hold slices in five zones."""
    with lab() as found, peers.gcloud(found, ZONE) as gcloud:
        for number in range(JOBS):
            zone = ZONES[number % len(ZONES)]
            found.ok("provision", "--job", job_file(found, f"many-{number}", zone, 1))
        looks = {"status": ("status", "many-0"), "list": ("list",), "cloud": ("tpus", "--cloud=emulator")}
        for number in range(repeats):
            sys.stderr.write(f"{JOBS} jobs: round {number + 1} of {repeats}\n")
            for work, words in looks.items():
                samples.add(Key(work, OURS), found.timed(ours(*words), found.environment))
            if gcloud and "gcloud" not in skip:
                argv = gcloud.tpu_vm("list", "--zone=-")
                samples.add(Key("cloud", "gcloud"), found.timed(argv, gcloud.environment))


def start(samples: Samples, repeats: int, skip: set[str]) -> None:
    """The start of the commands, and of the interpreter alone."""
    commands = {OURS: ours("--help"), "python": [sys.executable, "-c", "pass"]}
    if "gcloud" not in skip and shutil.which("gcloud"):
        commands["gcloud"] = ["gcloud", "--version"]
    with lab("--workers=none") as found:
        for argv in commands.values():
            checked(argv, found.environment, found.folder)  # the first time, Python compiles what it imports
        for _ in range(repeats):
            for who, argv in commands.items():
                samples.add(Key("help", who), found.timed(argv, found.environment))


def job_file(found: Lab, name: str, zone: str, workers: int) -> Path:
    """A job whose work says that it begins."""
    job = {
        "job": {"name": name},
        "cloud": "emulator",
        "tpu": {"accelerator": accelerator(workers), "zone": zone},
        "command": {"cmd": f"echo {SAID}"},
    }
    path = found.folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(job))
    return path
