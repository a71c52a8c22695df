"""`python calling.py HOW WORDS`: the command line WORDS by a child of the warm starter, or by itself."""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    from tpuherd.cli import here
    from tpuherd.holder.handing import hand_over, start_for_the_next

    how = sys.argv.pop(1)
    if "odd" in how:
        os.umask(0o027)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    if "start" in how:
        start_for_the_next()
    elif "warm" in how:
        code = hand_over()
        sys.exit(99 if code is None else code)
    else:
        here()


if __name__ == "__main__":
    main()
