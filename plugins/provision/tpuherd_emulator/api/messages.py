"""The messages of the TPU API, in both of its versions.

Inside, everything is `v2alpha1`: it has every field of `v2`, and more. The numbers of fields differ between
the two (`Node.queued_resource` is 47 in one and 43 in the other, where 47 is something else), so messages go
from one to the other through `tpuherd_emulator.api.dialects`.

They are loaded from their one file each: importing them through their packages brings the whole client
along, which takes 0.4 s of the daemon's 0.6 s until it serves (google-cloud-tpu 1.28).
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import google.cloud

if TYPE_CHECKING:
    from types import ModuleType

INNER = "v2alpha1"
"""The version of `messages`."""

VERSIONS = ("v2", INNER)


def _load(version: str) -> ModuleType:
    """Under its real name, so that a client in the same process shares the messages."""
    name = f"google.cloud.tpu_{version}.types.cloud_tpu"
    if name in sys.modules:
        return sys.modules[name]
    files = (Path(folder, f"tpu_{version}", "types", "cloud_tpu.py") for folder in google.cloud.__path__)
    spec = importlib.util.spec_from_file_location(name, next(file for file in files if file.exists()))
    assert spec
    assert spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BY_VERSION = {version: _load(version) for version in VERSIONS}

if TYPE_CHECKING:
    from google.cloud.tpu_v2alpha1.types import cloud_tpu

    messages = cloud_tpu
else:
    messages = BY_VERSION[INNER]
