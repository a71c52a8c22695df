"""Starting the daemon of an emulated cloud."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.errors import ProvisionError
from tpuherd_emulator.cleaning import clean
from tpuherd_emulator.files import tail, write_private
from tpuherd_emulator.info import CloudInfo, load
from tpuherd_emulator.layout import CLOUD_MARKER, Layout
from tpuherd_emulator.processes import ProcessId, wait_until

if TYPE_CHECKING:
    from tpuherd_emulator.options import EmulatorOptions

START_TIMEOUT_S = 20.0
"""Until a daemon serves; on an idle machine it takes less than one second."""


def running(layout: Layout) -> CloudInfo | None:
    """Return what the cloud says about itself; `None` unless its daemon lives."""
    info = load(layout.info)
    alive = info is not None and ProcessId(info.pid, info.pid_started).alive()
    return info if alive else None


def start(layout: Layout, options: EmulatorOptions) -> CloudInfo:
    """Start a daemon where none runs, and return when it serves. The caller holds the cloud's lock.

    Raises:
        ProvisionError: It does not serve in time; the message has the end of its log.
    """
    clean(layout)
    layout.make()
    write_private(layout.options, json.dumps(asdict(options)))
    daemon = _launch(layout)
    wait_until(lambda: layout.info.exists() or daemon.poll() is not None, START_TIMEOUT_S)
    info = running(layout)
    if info is None:
        clean(layout)
        raise ProvisionError(
            f"the emulated cloud in {layout.root} did not start within {START_TIMEOUT_S:.0f} s; "
            f"the end of {layout.log}:\n{tail(layout.log)}"
        )
    return info


def _launch(layout: Layout) -> subprocess.Popen[bytes]:
    with layout.log.open("wb") as log:
        daemon = subprocess.Popen(
            [sys.executable, "-P", "-m", "tpuherd_emulator.daemon", str(layout.root)],
            cwd=layout.root,
            env=os.environ | {CLOUD_MARKER: str(layout.root)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    # It outlives this process; if it ends before, somebody has to take note, or a zombie stays.
    threading.Thread(target=daemon.wait, daemon=True).start()
    return daemon
