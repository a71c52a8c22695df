"""What the harness is told follows from the slices that came, not from the job file's first wish."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tpuherd_orbax_benchmark.launching import expectation


@pytest.mark.parametrize(
    ("came", "workers", "devices"), [("v5litepod-16", 4, 16), ("v5litepod-8", 1, 8), ("v3-32", 4, 32)]
)
def test_process_and_device_counts_are_those_of_the_slices(job_factory, came, workers, devices):
    job = job_factory({"tpu": {"accelerators": ["v5litepod-16", "v5litepod-8"], "zone": "us-west4-a"}})
    wished = job_factory.allocation(job)
    (piece,) = wished.slices
    held = replace(wished, slices=(replace(piece, accelerator=came, workers=piece.workers[:workers]),))
    assert expectation(held) == ["--processes", str(workers), "--devices", str(devices)]
