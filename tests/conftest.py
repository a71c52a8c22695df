"""For all tests: what they start hears signals, and is not disturbed by gRPC."""

from __future__ import annotations

import os
import signal

# A forked process of a test that has used gRPC may die before it becomes another program: gRPC starts its
# poller again in the child, on a descriptor that subprocess has closed by then (grpc/grpc#43055).
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

# Whoever runs the tests may ignore signals (nohup, a background shell); processes would inherit that.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
