"""What a run on the workers is told: one JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from dataclasses import field as field_of
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A run.

    Attributes:
        model: Folder of a checkpoint, of the worker or `gs://…`.
        hooks: Names or globs.
        input: Folder of documents, likewise.
        output: Folder for datasets, likewise.
        form: What makes documents of the records: `text`, `chat`, `tokens`, or what somebody else calls his.
        form_function: `module:function` of such a form; empty if it is built in.
        form_options: For that function.
        field: Of the records.
        max_length: Longest document in tokens.
        special_tokens: `keep` or `drop`.
        dtype: `bfloat16` or `float32`: of the weights, of what is computed, and of what is stored.
        mesh: See `model.setting`.
        rows_per_shard: About how many.
        batch_tokens: Of a batch.
        lease_s: After this long a silent worker's part is done by another.
        span: What holds one copy of the model: `worker`, `slice`, or `auto`.
        slices: For each the address of its coordinator and the number of its workers, in their order.
        worker_memory_bytes: Of all devices of a worker; 0 if it is not known.
        devices: What they are: `tpu` or `cpu`.
    """

    model: str
    hooks: tuple[str, ...]
    input: str
    output: str
    form: str = "text"
    form_function: str = ""
    form_options: Mapping[str, Any] = field_of(default_factory=dict)
    field: str = "text"
    max_length: int = 2048
    special_tokens: str = "keep"
    dtype: str = "bfloat16"
    mesh: str = "auto"
    rows_per_shard: int = 65_536
    batch_tokens: int = 8192
    lease_s: float = 60.0
    span: str = "worker"
    slices: tuple[tuple[str, int], ...] = ()
    worker_memory_bytes: int = 0
    devices: str = "cpu"

    def to_json(self) -> str:
        """For the file."""
        return json.dumps(asdict(self), indent=1)


def read(file: Path) -> Settings:
    """The settings of a file that `to_json` made."""
    found = json.loads(file.read_text())
    slices = tuple((coordinator, members) for coordinator, members in found["slices"])
    return Settings(**{**found, "hooks": tuple(found["hooks"]), "slices": slices})
