"""The model and the tokenizer of a run."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..architecture import read
from ..errors import InputError
from ..hooks import choose, shape
from ..input.encoding import Encoder
from ..input.functions import form_of, source_digest
from ..output.hooks import Hook
from .checkpoints import fetched
from .content import Content

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ..architecture import Architecture
    from ..hooks import Taps
    from ..input.encoding import Tokenizer
    from ..model.model import Model
    from .settings import Settings

KINDS = {"bfloat16": "BF16", "float32": "F32"}
CODE = 4
"""Of the decoder's numbers and of sums: a change that makes other bits counts it up, for other datasets."""


@dataclass(frozen=True, kw_only=True)
class Decoder:
    """A model that is ready to compute what a run wants.

    Attributes:
        content: What the dataset is made of.
        encoder: For its documents.
        model: On the devices.
        taps: Its hooks.
    """

    content: Content
    encoder: Encoder
    model: Model
    taps: Taps

    def __call__(self, tokens: NDArray[np.int32], segments: NDArray[np.int32]) -> Mapping[str, Any]:
        """Compute a batch."""
        return self.model.run(tokens, segments, self.taps)


def decoder_of(settings: Settings, scratch: Path) -> Decoder:
    """Load what a run needs, and no more blocks than its hooks need.

    Raises:
        ModelError: the checkpoint or the hooks are not as they should be.
        DatasetError: something cannot be fetched.
    """
    folder, fingerprint = fetched(settings.model, scratch)
    architecture = read(folder)
    taps = choose(architecture, settings.hooks)
    source = source_digest(settings.form, settings.form_function)
    content = content_of(settings, architecture, taps, fingerprint, source)
    from ..model.load import load

    blocks = None if taps.final else taps.blocks
    return Decoder(
        content=content,
        encoder=_encoder(settings, folder, architecture.vocabulary),
        model=load(folder, settings.mesh, settings.dtype, blocks),
        taps=taps,
    )


def content_of(
    settings: Settings, architecture: Architecture, taps: Taps, checkpoint: str, form_source: str
) -> Content:
    """What a run's dataset is made of.

    Args:
        settings: Of the run.
        architecture: Of the model.
        taps: Its hooks.
        checkpoint: Stands for the model's files.
        form_source: Stands for the code of a form that is not built in.
    """
    kind = KINDS[settings.dtype]
    hooks = tuple(Hook(name=name, shape=shape(architecture, name), kind=kind) for name in taps.names)
    return Content(
        model=f"{checkpoint} {settings.dtype} code {CODE}",
        hooks=hooks,
        form=settings.form,
        form_source=form_source,
        form_options=settings.form_options,
        field=settings.field,
        max_length=settings.max_length,
        special_tokens=settings.special_tokens,
        rows_per_shard=settings.rows_per_shard,
        batch_tokens=settings.batch_tokens,
    )


def _encoder(settings: Settings, folder: Path, vocabulary: int) -> Encoder:
    form = form_of(settings.form, settings.form_function, settings.field, settings.form_options)
    plain = settings.form == "tokens" and settings.special_tokens == "keep"
    tokenizer = None if plain else _tokenizer(folder)
    return Encoder(tokenizer, form, settings.max_length, settings.special_tokens, vocabulary)


def _tokenizer(folder: Path) -> Tokenizer:
    """The checkpoint's own; code that comes with a checkpoint is never run."""
    try:
        transformers = import_module("transformers")
    except ImportError as error:
        raise InputError("texts need a tokenizer: add transformers to the job's environment") from error
    found: Tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    return found
