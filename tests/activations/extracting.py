"""Makes a dataset with a tiny model of numpy, and dies where it is told to; also run as a program.

    python extracting.py SOURCE OUTPUT WORKER KILL_AT SCRATCH

`KILL_AT`: the process is killed right before that change of the dataset's place; 0 is never.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import numpy as np

from tpuherd_activations.worker.claims import Holder
from tpuherd_activations.worker.input.encoding import Encoder
from tpuherd_activations.worker.input.forms import Field, Form
from tpuherd_activations.worker.output.hooks import Hook
from tpuherd_activations.worker.places import bucket, folder
from tpuherd_activations.worker.work.content import Content
from tpuherd_activations.worker.work.running import Worker, run

if TYPE_CHECKING:
    from tpuherd_activations.worker.work.pipeline import Forward

HOOKS = (
    Hook(name="blocks.1.hook_resid_post", shape=(6,), kind="BF16"),
    Hook(name="blocks.0.attn.hook_z", shape=(2, 3), kind="F32"),
)
CONTENT = Content(
    model="numbers",
    hooks=HOOKS,
    form="tokens",
    field="ids",
    max_length=300,
    rows_per_shard=400,
    batch_tokens=512,
)
CHANGES = ("create", "deliver", "swap", "delete", "clear", "sweep", "scratch")


def documents(count: int = 40) -> list[dict]:
    """Lengths from 0 to more than `max_length`."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 200, count).tolist()
    lengths[0], lengths[3] = 0, 350
    return [{"ids": rng.integers(1, 1000, length).tolist()} for length in lengths]


def write(path: Path, records: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def forward(tokens: np.ndarray, segments: np.ndarray) -> dict[str, np.ndarray]:
    """What a token gets depends on it, its place, and the tokens before it in its document."""
    values = np.zeros((*tokens.shape, 6), np.float32)
    for row, segment in itertools.product(range(len(tokens)), range(1, segments.max(initial=0) + 1)):
        here = np.flatnonzero(segments[row] == segment)
        values[row, here] = expected(tokens[row, here])
    return {HOOKS[0].name: values, HOOKS[1].name: values.reshape(*tokens.shape, 2, 3) + 1}


def expected(ids: np.ndarray) -> np.ndarray:
    """Of one document, [length, 6]."""
    before = np.cumsum(ids)[:, None]
    places = np.arange(len(ids))[:, None]
    return np.sin(before * 0.1 + places + np.arange(6)).astype(np.float32)


def extract(
    source: str,
    output: str,
    worker: str = "w0",
    lease_s: float = 1.0,
    content: Content = CONTENT,
    scratch: Path | None = None,
    form: Form | None = None,
    compute: Forward = forward,
    abreast: int = 1,
) -> str:
    encoder = Encoder(None, form or Field(content.field, "tokens"), content.max_length, "keep")
    holder = Holder(job="", worker=worker, attempt=1)
    where = scratch or Path(gettempdir())
    helper = Worker(holder=holder, lease_s=lease_s, scratch=where, abreast=abreast)
    return run(content, source, output, helper, encoder, compute, lambda *_: None, lambda *_: None)


def deadly(kill_at: int) -> None:
    """From now on the process is killed before one change of a place."""
    count = itertools.count(1)
    for place, name in itertools.product((folder.Folder, bucket.Bucket), CHANGES):
        setattr(place, name, dying(getattr(place, name), count, kill_at))


def dying(change, count, kill_at):
    def changed(*arguments):
        if next(count) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return change(*arguments)

    return changed


if __name__ == "__main__":
    deadly(int(sys.argv[4]))
    extract(*sys.argv[1:4], lease_s=0.2, scratch=Path(sys.argv[5]))
