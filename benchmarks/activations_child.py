"""One tool of `activations.py` in a process of its own: gets ready, then runs a lap for each line it is sent.

python activations_child.py TOOL FOLDER SIZE DTYPE HOOKS
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # torch's threads spin otherwise, and take XLA's cores

from activations_work import Work, timed

TOOLS = {
    "bare": ("activations_ours", "Bare"),
    "bare_in_turn": ("activations_ours", "InTurn"),
    "tpuherd": ("activations_ours", "Extraction"),
    "hf_hooks": ("activations_peer", "Hooked"),
    "sae_lens": ("activations_others", "SaeLens"),
    "transformer_lens": ("activations_others", "TransformerLens"),
    "original": ("activations_original", "Original"),
    "original_narrow": ("activations_original", "Narrow"),
}
"""By name: the module and the class, which has `warm`, and is called once per lap."""


def main() -> None:
    say = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    module, kind = TOOLS[sys.argv[1]]
    tool = getattr(import_module(module), kind)(Work(Path(sys.argv[2]), *sys.argv[3:6]))
    tool.warm()
    print("ready", file=say)
    for _ in sys.stdin:
        tool.warm()
        lap = timed(tool)
        mfu = tool.utilization(lap.tokens / lap.wall_s) if hasattr(tool, "utilization") else None
        print(json.dumps({**asdict(lap), "mfu": mfu}), file=say)


if __name__ == "__main__":
    main()
