"""Tensors as they lie in a safetensors file, whose format is 8 bytes of length, a JSON header, and the data.

Source: the format's description in the `safetensors` project.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import CheckpointError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

KINDS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
"""The kinds of numbers that weights may be, and their bytes."""
LENGTH = 8
LONGEST_HEADER = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One tensor of a file; its numbers are read when they are used.

    Attributes:
        file: Where it lies.
        name: Its name there.
        kind: Of its numbers, as the format calls them.
        shape: Its dimensions.
        offset_bytes: Where its numbers begin in the file.
    """

    file: Path
    name: str
    kind: str
    shape: tuple[int, ...]
    offset_bytes: int

    def read(self) -> NDArray[Any]:
        """The numbers, as a view of the file (of bfloat16 as `ml_dtypes` has it).

        Raises:
            CheckpointError: these are no floating point numbers.
        """
        import numpy as np

        if self.kind not in KINDS:
            raise CheckpointError(
                f"{self.file}: {self.name}: its numbers are {self.kind}, expected one of {', '.join(KINDS)} "
                "(quantized weights are not read)"
            )
        dtype = _bfloat16() if self.kind == "BF16" else np.dtype(f"<f{KINDS[self.kind]}")
        return np.memmap(self.file, dtype, "r", self.offset_bytes, self.shape)


def header(file: Path) -> dict[str, Stored]:
    """The tensors of a file, by name.

    Raises:
        CheckpointError: this is no safetensors file, or it was cut short.
    """
    try:
        with file.open("rb") as stream:
            parsed, start = _parsed(stream.read(LENGTH), stream.read, file)
    except OSError as error:
        raise CheckpointError(f"{file}: cannot be read: {error}") from error
    size = file.stat().st_size
    return {
        name: _stored(file, name, entry, start, size)
        for name, entry in parsed.items()
        if name != "__metadata__"
    }


def _parsed(length: bytes, read: Any, file: Path) -> tuple[dict[str, Any], int]:
    size = struct.unpack("<Q", length)[0] if len(length) == LENGTH else LONGEST_HEADER + 1
    if size > LONGEST_HEADER:
        raise CheckpointError(f"{file}: this is no safetensors file")
    try:
        found = json.loads(read(size))
    except ValueError as error:
        raise CheckpointError(f"{file}: its header is damaged or cut short: {error}") from error
    if not isinstance(found, dict):
        raise CheckpointError(f"{file}: this is no safetensors file")
    return found, LENGTH + size


def _stored(file: Path, name: str, entry: Any, start: int, size: int) -> Stored:
    try:
        begin, end = entry["data_offsets"]
        shape, kind = tuple(int(length) for length in entry["shape"]), str(entry["dtype"])
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{file}: {name}: its entry in the header is damaged") from error
    if kind in KINDS and end - begin != KINDS[kind] * math.prod(shape):
        raise CheckpointError(f"{file}: {name}: {end - begin} bytes do not hold {list(shape)} of {kind}")
    if not 0 <= begin <= end <= size - start:
        raise CheckpointError(f"{file}: {name}: the file ends before it; copy the file again")
    return Stored(file=file, name=name, kind=kind, shape=shape, offset_bytes=start + begin)


def _bfloat16() -> np.dtype[Any]:
    import jax.numpy as jnp
    import numpy as np

    found: np.dtype[Any] = np.dtype(jnp.bfloat16)
    return found
