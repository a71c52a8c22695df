"""Names of the files of a dataset, below its folder."""

from __future__ import annotations

FORMAT = 1
"""Of the files. A dataset of another number has another hash."""
CONFIG = "config.json"
"""What the dataset was made of; its hash is the folder's name."""
PLAN = "plan.json"
"""The input's streams, cut into parts."""
DATASET = "dataset.json"
"""The commit record of the whole: all shards, totals."""
STATISTICS = "statistics.safetensors"
"""Mean, standard deviation and mean norm of each hook."""
MANIFESTS = "manifests/"
ROWS, SUMS = "rows", "sums"
TOKEN_IDS, DOCUMENT_IDS, POSITIONS = "token_ids", "document_ids", "positions"
PROMPTS = "prompts"
"""Which of its record's documents a row is of; only in shards in which a record has several."""
ACTIVATIONS = "activations"
"""The one tensor of a hook's file."""


def part(index: int) -> str:
    """A part's name."""
    return f"part-{index:06d}"


def manifest(index: int) -> str:
    """The commit record of a shard."""
    return f"{MANIFESTS}{part(index)}.json"


def shard_file(index: int, what: str, crc32c: int) -> str:
    """A shard's file. The checksum is part of the name: files of other bytes never replace one another."""
    return f"shards/{part(index)}/{what}-{crc32c:08x}.safetensors"
