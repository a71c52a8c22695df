"""For all tests: what they start hears signals, and is not disturbed by gRPC."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from dealing import Dealing

sys.path.append(str(Path(__file__).parent / "order"))  # `dealing` lives there
sys.path.append(str(Path(__file__).parent / "starting"))  # `commands` lives there

# A forked process of a test that has used gRPC may die before it becomes another program: gRPC starts its
# poller again in the child, on a descriptor that subprocess has closed by then (grpc/grpc#43055).
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

# Whoever runs the tests may ignore signals (nohup, a background shell); processes would inherit that.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Dealing | None:
    """Of the process that deals out tests: see `dealing`."""
    if config.getoption("dist") != "loadgroup":
        return None
    from dealing import Dealing

    return Dealing(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the processes that get them: they collect in the order in which it is dealt."""
    if getattr(config.option, "loadgroup", False):
        from dealing import in_order

        items[:] = in_order(items)
