"""Which layers attend to a window only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ropes import LAYER_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .fields import Fields

FULL, SLIDING = LAYER_KINDS


def listed(config: Fields) -> list[str] | None:
    """The kinds of the layers if the file lists them."""
    if not config.has("layer_types"):
        return None
    kinds, layers = config.values["layer_types"], config.whole("num_hidden_layers")
    if not isinstance(kinds, list) or len(kinds) != layers:
        raise config.wrong("layer_types", f"a list of {layers}, as num_hidden_layers says", kinds)
    for index, kind in enumerate(kinds):
        if kind not in LAYER_KINDS:
            raise config.wrong(f"layer_types[{index}]", f"one of {', '.join(LAYER_KINDS)}", kind)
    return list(kinds)


def every(config: Fields, pattern: int) -> list[str]:
    """Each `pattern`-th layer is full, the others are sliding, unless the file lists them."""
    layers = config.whole("num_hidden_layers")
    return listed(config) or [SLIDING if (index + 1) % pattern else FULL for index in range(layers)]


def above(config: Fields) -> list[str]:
    """Layers from `max_window_layers` on are sliding if `use_sliding_window` is set (Qwen)."""
    layers = config.whole("num_hidden_layers")
    sliding = config.flag("use_sliding_window", default=False) and config.has("sliding_window")
    if not sliding:
        return [FULL] * layers
    first = config.values.get("max_window_layers", 28)
    return listed(config) or [SLIDING if index >= first else FULL for index in range(layers)]


def widths(config: Fields, kinds: Sequence[str], default: int) -> tuple[int | None, ...]:
    """The window of each layer, in tokens."""
    width = config.whole("sliding_window", default)
    return tuple(width if kind == SLIDING else None for kind in kinds)
