"""The same function for many things at once."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextvars import copy_context
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")


def in_parallel(function: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """The results in the order of the items, one thread each: they wait for networks, a pool would queue.

    The threads are daemons: Ctrl-C ends the waiting at once, and no thread keeps the process alive.

    Raises:
        BaseException: the first error in the order of the items, after all have ended.
    """
    futures = [in_background(function, item) for item in items]
    for future in futures:
        future.exception()
    return [future.result() for future in futures]


def one_at_a_time(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, which no two threads run at the same time."""
    lock = threading.Lock()

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with lock:
            return function(*args, **kwargs)

    return call


def in_background(function: Callable[[T], R], item: T) -> Future[R]:
    """The result when it is there, from a thread of its own that keeps no process alive.

    The thread sees the context variables of the one that starts it: it works for the same job.
    """
    future: Future[R] = Future()
    arguments = (_fill, future, function, item)
    threading.Thread(target=copy_context().run, args=arguments, daemon=True).start()
    return future


def _fill(future: Future[R], function: Callable[[T], R], item: T) -> None:
    try:
        future.set_result(function(item))
    except BaseException as error:  # noqa: BLE001  raised again where the result is asked for
        future.set_exception(error)
