"""The process of an emulated cloud; `lifecycle.up` runs `python -m tpuherd_emulator.daemon DIRECTORY`."""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path

from tpuherd_emulator import cloud
from tpuherd_emulator.info import save
from tpuherd_emulator.layout import Layout
from tpuherd_emulator.options import EmulatorOptions


def main(directory: Path) -> None:
    """Serve until SIGTERM, then end everything."""
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    layout = Layout(directory)
    layout.make()
    running = cloud.start(layout, EmulatorOptions(**json.loads(layout.options.read_text())))
    save(running.info, layout.info)  # whoever finds this file finds a cloud that serves
    stopped.wait()
    running.stop()
    layout.info.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
