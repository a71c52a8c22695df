"""Tiny random checkpoints made by `transformers`, run by it on torch and by the worker side on JAX.

The worker side is imported as on the workers: as a package of its own, without tpuherd. This needs jax,
transformers and torch; `scripts/parity` makes an environment with them. Elsewhere nothing is collected here.
"""

from __future__ import annotations

import atexit
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

WORKER = Path(__file__).parents[2] / "plugins" / "workloads" / "tpuherd_activations" / "worker"
PACKAGE = "tpuherd_activations_worker"
if any(find_spec(name) is None for name in ("jax", "torch", "transformers")):
    collect_ignore_glob = ["test_*.py"]
else:
    folder = Path(mkdtemp(prefix="tpuherd-parity-"))
    atexit.register(shutil.rmtree, folder)
    (folder / PACKAGE).symlink_to(WORKER)
    sys.path.insert(0, str(folder))
