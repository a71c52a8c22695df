"""Runs on workers: one process of a JAX job that says what it sees.

Arguments: address of the coordinator, number of processes, number of this one.
"""

import json
import sys
from importlib.metadata import version

import jax

START_S = 60


def main() -> None:
    """Join the others, and print one line of JSON."""
    coordinator, processes, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if processes > 1:
        jax.distributed.initialize(coordinator, processes, number, initialization_timeout=START_S)
    seen = {
        "jax": jax.__version__,
        "jaxlib": version("jaxlib"),
        "platform": jax.default_backend(),
        "device_count": jax.device_count(),
        "local_device_count": jax.local_device_count(),
    }
    sys.stdout.write(json.dumps(seen) + "\n")


main()
