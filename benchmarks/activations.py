"""How fast the decoder of the activations workload computes, beside `transformers` with hooks on torch.

Both run the same random Qwen2-shaped checkpoint of 100M parameters over samples of one corpus, turn by turn,
so that a busy machine slows both. `one` is the residual stream after the middle block, where both stop; `all`
is that of every block. Nothing is stored: this is the limit of any pipeline around it. Prints JSON, ratios
first; ratios of CPU seconds are those to trust where others use the machine.

    .tools/parity/bin/python benchmarks/activations.py [ROUNDS]     (scripts/parity makes that environment)
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # torch's threads spin otherwise, and take XLA's cores

import activations_peer as peer
import activations_work as work

TYPES = ("bfloat16", "float32")
HOOKS = {"one": "blocks.{middle}.hook_resid_post", "all": "blocks.*.hook_resid_post"}


def tools(folder: Path, dtype: str, what: str) -> dict[str, Any]:
    """The tools, each a function that runs over its sample and returns how many tokens that were."""
    return {
        "tpuherd": work.Ours(folder, dtype, HOOKS[what].format(middle=work.LAYERS // 2)),
        "hf_hooks": peer.Hooked(folder, dtype, every=what == "all"),
    }


def case(folder: Path, dtype: str, what: str, rounds: int) -> dict[str, Any]:
    """Run all tools by turns and compare them round by round."""
    found = tools(folder, dtype, what)
    for tool in found.values():
        tool()  # compiles
    laps = [{name: work.timed(tool) for name, tool in found.items()} for _ in range(rounds)]
    return {
        "ratio_cpu": middle([lap["tpuherd"].per_cpu_s / lap["hf_hooks"].per_cpu_s for lap in laps], 2),
        "ratio_wall": middle([lap["tpuherd"].per_s / lap["hf_hooks"].per_s for lap in laps], 2),
        "tokens_per_cpu_s": {name: middle([lap[name].per_cpu_s for lap in laps], None) for name in found},
        "tokens_per_s": {name: middle([lap[name].per_s for lap in laps], None) for name in found},
        "mfu": work.utilization(found["tpuherd"], middle([lap["tpuherd"].per_s for lap in laps], 1)),
    }


def middle(values: list[float], digits: int | None) -> float:
    return round(statistics.median(values), digits)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as folder:
        peer.make(Path(folder))
        cases = {
            f"{dtype} {what}": case(Path(folder), dtype, what, rounds) for dtype in TYPES for what in HOOKS
        }
    ratios = {
        name: {key: case.pop(key) for key in ("ratio_cpu", "ratio_wall")} for name, case in cases.items()
    }
    report = {"tpuherd_over_hf_hooks": ratios, "cases": cases, "load": os.getloadavg()[0], "rounds": rounds}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
