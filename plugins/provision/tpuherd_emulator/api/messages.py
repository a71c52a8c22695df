"""The messages of the TPU API, v2.

They are loaded from their one file: importing them through their package brings the whole client along, which
takes 0.4 s of the daemon's 0.6 s until it serves (google-cloud-tpu 1.28).
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import google.cloud

if TYPE_CHECKING:
    from types import ModuleType

_NAME = "google.cloud.tpu_v2.types.cloud_tpu"


def _load() -> ModuleType:
    """Under its real name, so that a client in the same process shares the messages."""
    if _NAME in sys.modules:
        return sys.modules[_NAME]
    files = (Path(folder, "tpu_v2", "types", "cloud_tpu.py") for folder in google.cloud.__path__)
    spec = importlib.util.spec_from_file_location(_NAME, next(file for file in files if file.exists()))
    assert spec
    assert spec.loader
    module = sys.modules[_NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from google.cloud.tpu_v2.types import cloud_tpu

    messages = cloud_tpu
else:
    messages = _load()
