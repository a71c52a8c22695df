"""How a command answers."""

from __future__ import annotations

import json
import sys


def say(record: dict[str, object]) -> None:
    """Prints one line of JSON."""
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()
