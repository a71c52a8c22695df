"""Reading `config.json`; nothing of a checkpoint is run, and nothing but this file decides what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from .families import FAMILIES
from .fields import Fields

if TYPE_CHECKING:
    from .architecture import Architecture

FILE = "config.json"
MULTIMODAL = "gemma3"
"""Text and images; its text part stands under `text_config`."""
TEXT_DEFAULTS = {
    "model_type": "gemma3_text",
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "vocab_size": 262_208,
    "num_hidden_layers": 26,
    "hidden_size": 2304,
    "intermediate_size": 9216,
}
"""What published files of that kind leave out, as `transformers` fills it in."""


def read(folder: str | Path) -> Architecture:
    """Say what the checkpoint in a folder is.

    Raises:
        ConfigurationError: there is no `config.json`, a key is missing or wrong, the architecture is not
            one of those supported, or the weights are quantized.
    """
    path = Path(folder) / FILE
    config = Fields(str(path), _parsed(path))
    _refuse_quantized(config)
    kind = config.text("model_type")
    if kind == MULTIMODAL:
        return _text_part(config)
    if kind not in FAMILIES:
        known = ", ".join(sorted({*FAMILIES, MULTIMODAL}))
        raise ConfigurationError(f"{path}: model_type: {kind!r} is not supported; supported are {known}")
    return FAMILIES[kind](config)


def _text_part(config: Fields) -> Architecture:
    text = config.below("text_config")
    _refuse_quantized(text)
    return FAMILIES["gemma3_text"](Fields(text.file, {**TEXT_DEFAULTS, **text.values}, text.parent))


def _refuse_quantized(config: Fields) -> None:
    found = config.below("quantization_config")
    if found.values:
        method = found.values.get("quant_method", "an unnamed method")
        raise ConfigurationError(
            f"{config.file}: {found.parent}quant_method: the weights are quantized ({method}), and their "
            "activations are not the model's own; use the checkpoint in bfloat16, float16 or float32"
        )


def _parsed(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(
            f"{path}: no such file; a checkpoint folder has one beside its weights"
        ) from None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise ConfigurationError(f"{path}: expected a JSON object")
    return found
