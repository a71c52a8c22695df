"""Helps to make a dataset as a member of a fleet does, with the tiny model of `extracting` instead of JAX.

    python extracting_member.py INPUT OUTPUT

Everything but the model is the product's own worker: claims, pipeline, uploads, progress, signals.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.append(str(Path(__file__).parents[1] / "activations"))

import extracting

from tpuherd_activations.worker.__main__ import _leave, scratch_of
from tpuherd_activations.worker.input.encoding import Encoder
from tpuherd_activations.worker.input.forms import Field
from tpuherd_activations.worker.work.groups import Group
from tpuherd_activations.worker.work.making import holder, make
from tpuherd_activations.worker.work.settings import Settings

LEASE_S = 10.0
BATCH_S = 0.4


def slowly(tokens, segments):
    """As long as a real model may take for a batch."""
    time.sleep(BATCH_S)
    return extracting.forward(tokens, segments)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _leave)
    content = extracting.CONTENT
    settings = Settings(model="", hooks=(), input=sys.argv[1], output=sys.argv[2], lease_s=LEASE_S)
    encoder = Encoder(None, Field(content.field, "tokens"), content.max_length, "keep")
    placement = SimpleNamespace(row_parts=1, abreast=2)
    model = SimpleNamespace(placement=placement)
    decoder = SimpleNamespace(content=content, encoder=encoder, model=model)
    file = Path(os.environ["TPUHERD_ATTEMPT_DIR"]) / "settings.json"
    with scratch_of(holder()) as scratch:
        make(file, settings, scratch, Group(index=0, groups=1), decoder, slowly)
