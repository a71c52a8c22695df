"""How fast activations are extracted, beside the same work with `transformers`, SAELens and TransformerLens.

Random Qwen2-shaped checkpoints of 13M and 100M parameters, one corpus of token ids, laps by turns, so that a
busy machine slows all; every tool has a process of its own, for its peak memory. `one` stores the residual
stream after the middle block, where all but the originals stop; `all` that of every block. Loading,
compiling, tokenising are outside the clock. Prints JSON, ratios first.

    .tools/parity/bin/python benchmarks/activations.py [--laps 3] [--sizes tiny,m100] [--dtypes …] [--hooks …]

`scripts/parity` makes that environment; `pip install sae-lens` there adds the two peers that it has not.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from activations_tools import Tool, per_cpu_s, per_s
from activations_work import SIZES, Work, write_documents

ORIGINAL_ELSEWHERE = {"m100 one": 107, "m100 all": 86, "tiny one": 949, "tiny all": 594}
"""Tokens per second of the replaced system itself, in bfloat16, on another machine (2 cores with AMX)."""
TOOLS = ("bare", "tpuherd", "hf_hooks")
IN_TURN = "bare_in_turn"
"""The forward pass one batch after the other; `bare` computes as many side by side as the extraction."""
OFTEN = 3
"""Laps of the first two while others have one: they differ by less than a lap does from the next."""
ORIGINALS = ("original", "original_narrow")
"""Its way of working, rebuilt from its description (not the system itself); in bfloat16, as it had it."""
PEERS = ("sae_lens", "transformer_lens")
"""With one hook only: SAELens stores one hook per run, and TransformerLens is far behind with all."""


def case(work: Work, laps: int) -> dict[str, Any]:
    """Run all tools by turns."""
    names = (*TOOLS, IN_TURN) + (PEERS if work.hooks == "one" else ())
    names += ORIGINALS if work.dtype == "bfloat16" else ()
    tools = {name: Tool(name, work) for name in names}
    pair = [tools["bare"], tools["tpuherd"]] * (OFTEN - 1)
    for _ in range(laps):
        for tool in [*tools.values(), *pair]:
            tool.lap()
    for tool in tools.values():
        tool.end()
    figures = {name: tool.figures() for name, tool in tools.items()}
    return {"ratios": ratios(tools) | over_original(tools), "tools": figures}


def ratios(tools: dict[str, Tool]) -> dict[str, Any]:
    bare, ours, hooks = (tools[name] for name in TOOLS)
    peers = [tools[name] for name in ("hf_hooks", *PEERS) if name in tools and not tools[name].problem]
    best, thrifty = (max(peers, key=lambda tool: tool.middle(value)) for value in (per_s, per_cpu_s))
    return {
        "pipeline_over_bare": ours.over(bare, per_s),
        "pipeline_over_bare_cpu": ours.over(bare, per_cpu_s),
        "pipeline_over_bare_in_turn": ours.over(tools[IN_TURN], per_s),
        "over_hf_hooks": ours.over(hooks, per_s),
        "over_hf_hooks_cpu": ours.over(hooks, per_cpu_s),
        "over_best_peer": ours.over(best, per_s),
        "best_peer": best.name,
        "over_best_peer_cpu": ours.over(thrifty, per_cpu_s),
        "best_peer_cpu": thrifty.name,
        "peak_memory_over_hf_hooks": round(ours.peak_gib / hooks.peak_gib, 2),
    }


def over_original(tools: dict[str, Tool]) -> dict[str, Any]:
    """Of those that ran."""
    there = [tools[name] for name in ORIGINALS if name in tools and not tools[name].problem]
    values = {"": per_s, "_cpu": per_cpu_s}
    return {
        f"over_{tool.name}{suffix}": round(tools["tpuherd"].over(tool, value), 1)
        for tool in there
        for suffix, value in values.items()
    }


def main() -> None:
    options = parsed()
    cases: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as name:
        for size in options.sizes:
            prepare(Work(Path(name), size, "", ""))
            for dtype, hooks in product(options.dtypes, options.hooks):
                found = case(Work(Path(name), size, dtype, hooks), options.laps)
                cases[f"{size} {dtype} {hooks}"] = found
                print(size, dtype, hooks, json.dumps(found), file=sys.stderr)
    report = {key: {name: found[key] for name, found in cases.items()} for key in ("ratios", "tools")}
    about = {
        "original_elsewhere_tokens_per_s": ORIGINAL_ELSEWHERE,
        "laps": options.laps,
        "load": os.getloadavg()[0],
    }
    print(json.dumps(report | about | {"machine": machine()}, indent=2))


def prepare(work: Work) -> None:
    from activations_peer import make

    make(work)
    write_documents(work)


def machine() -> str:
    about = Path("/proc/cpuinfo").read_text()
    names = [line.partition(":")[2].strip() for line in about.splitlines() if line.startswith("model name")]
    flags = [name for name in ("avx512_bf16", "amx_bf16") if name in about]
    return f"{os.cpu_count()} cores, {names[0] if names else 'unknown'}, {' '.join(flags) or 'no bf16'}"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--laps", type=int, default=3)
    for name, known in (("sizes", SIZES), ("dtypes", ("float32", "bfloat16")), ("hooks", ("one", "all"))):
        parser.add_argument(f"--{name}", type=lambda text: text.split(","), default=list(known))
    return parser.parse_args()


if __name__ == "__main__":
    main()
