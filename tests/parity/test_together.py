"""Two processes with one device each make the bytes that one process with two devices makes.

The same mesh over the same number of devices: each device then computes the same program on the same rows,
and nothing may differ. Other meshes round otherwise, so they are not compared.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tpuherd_activations_worker.output.layout import MANIFESTS
from tpuherd_activations_worker.work.settings import Settings

MAKE_INPUT = Path(__file__).parents[2] / "examples" / "activations" / "make_input.py"
DEADLINE_S = 300


@pytest.fixture
def made(tmp_path):
    """A tiny model, and documents that are tokens already."""
    subprocess.run([sys.executable, MAKE_INPUT, tmp_path], check=True)
    rng = np.random.default_rng(5)
    (tmp_path / "in").mkdir()
    ids = [rng.integers(0, 256, length).tolist() for length in rng.integers(5, 200, 60)]
    lines = "".join(json.dumps({"ids": some}) + "\n" for some in ids)
    (tmp_path / "in/a.jsonl").write_text(lines)
    return tmp_path


def start(made, output, mesh, workers, worker=0, port=0, attempt=1):
    settings = Settings(
        model=str(made / "model"),
        hooks=("blocks.1.hook_resid_post", "blocks.1.attn.hook_z"),
        input=str(made / "in"),
        output=str(made / output),
        form="tokens",
        field="ids",
        max_length=150,
        mesh=mesh,
        rows_per_shard=300,
        batch_tokens=512,
        span="slice" if workers > 1 else "worker",
        slices=((f"127.0.0.1:{port}", workers),),
    )
    folder = made / f"{output}-{worker}"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(settings.to_json())
    environment = os.environ | {
        "PYTHONPATH": sys.modules["conftest"].folder.as_posix(),
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={2 // workers}",
        "TPUHERD_JOB_ID": output,
        "TPUHERD_WORKER": str(worker),
        "TPUHERD_WORKERS": str(workers),
        "TPUHERD_ATTEMPT": str(attempt),
        "TMPDIR": str(made),
    }
    argv = [sys.executable, "-m", "tpuherd_activations_worker", "run", str(folder / "settings.json")]
    return subprocess.Popen(
        argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def both(made, output, mesh, attempt=1):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return [start(made, output, mesh, 2, worker, port, attempt) for worker in (0, 1)]


def ended(processes):
    said = [process.communicate(timeout=DEADLINE_S)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), "\n".join(said)
    return said


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("axis", ["fsdp", "tensor"])
def test_the_same_bytes_as_of_one_process(made, axis):
    ended([start(made, "alone", f"{axis}=2", 1)])
    leader, follower = ended(both(made, "together", f"{axis}=2"))
    arranged = ",".join(f"{name}={1 + (name == axis)}" for name in ("data", "fsdp", "tensor"))
    assert f"2 workers compute together: mesh {arranged}" in leader
    assert "the dataset is finished" in leader
    assert "the dataset is finished" not in follower
    assert contents(made / "together") == contents(made / "alone")


@pytest.mark.timeout(900)
def test_one_is_killed_in_the_middle(made):
    ended([start(made, "alone", "data=2", 1)])
    whole = contents(made / "alone")
    for attempt, victim in enumerate((0, 1), 1):
        processes = both(made, "killed", "data=2", attempt)
        wait_for_shards(made / "killed", attempt, processes[0])
        processes[victim].kill()
        processes[1 - victim].kill()  # as the agents do when one has failed
        for process in processes:
            process.communicate(timeout=DEADLINE_S)
        assert not list((made / "killed").rglob("dataset.json")), "it was killed before the end"
    leader, _ = ended(both(made, "killed", "data=2", attempt=3))
    assert "attempt 3 goes on where" in leader
    assert contents(made / "killed") == whole


def wait_for_shards(folder, count, process):
    until = time.monotonic() + DEADLINE_S
    while len(list(folder.glob(f"*/{MANIFESTS}*.json"))) < count:
        assert time.monotonic() < until, process.communicate(timeout=DEADLINE_S)[0]
        time.sleep(0.02)
