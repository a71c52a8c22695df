"""What a dataset holds, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def told(totals: Mapping[str, Any]) -> str:
    """One line, and one more for each thing that a user should know of."""
    made = f" that became {totals['prompts']:,}" if totals["prompts"] != totals["documents"] else ""
    counts = (
        f"{totals['rows']:,} rows of {totals['documents']:,} documents{made} in {totals['shards']:,} shards"
    )
    lines = [f"{counts}, {totals['size_bytes'] / 2**30:.2f} GiB: {totals['address']}"]
    if totals["truncated_documents"]:
        lines.append(
            f"{totals['truncated_documents']:,} documents were longer than max_length: "
            f"{totals['truncated_tokens']:,} tokens are missing"
        )
    if totals["dropped_tokens"]:
        lines.append(f"{totals['dropped_tokens']:,} special tokens were dropped")
    return "\n".join(lines)
