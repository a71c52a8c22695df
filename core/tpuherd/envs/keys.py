"""The key of an environment."""

from __future__ import annotations

import hashlib
import json

KEY_LENGTH = 16


def environment_key(*inputs: object) -> str:
    """One short word for everything that an environment is made from.

    Args:
        inputs: texts, numbers, tuples of them; the allocation's incarnation among them, because what was
            installed is gone with the VM.
    """
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()[:KEY_LENGTH]
