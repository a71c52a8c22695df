"""`python -m tpuherd.holder PATH FD IDLE_S`: one holder, on a socket that listens already."""

from __future__ import annotations

import faulthandler
import logging
import signal
import socket
import sys
from pathlib import Path


def main() -> None:
    """Serve until nobody needs it."""
    from tpuherd.holder.serving import Holder

    path, listener, idle_s = Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2])), float(sys.argv[3])
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    faulthandler.register(signal.SIGUSR1)  # writes to the log where each thread is
    Holder(listener, path, idle_s).serve()


if __name__ == "__main__":
    main()
