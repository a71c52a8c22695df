"""The same for several TPUs at once: one that fails does not keep the others from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tpuherd.errors import ProvisionError, TpuherdError
from tpuherd.remote.parallel import in_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of one of them."""

    what: str
    error: str = ""
    """Empty: it worked."""


def each(function: Callable[[T], object], items: Sequence[T], name: Callable[[T], str]) -> list[Done]:
    """Call a function for all items at the same time; errors that a user can act on are results."""

    def call(item: T) -> Done:
        try:
            function(item)
        except TpuherdError as error:
            return Done(what=name(item), error=str(error))
        return Done(what=name(item))

    return in_parallel(call, items)


def require(done: Sequence[Done]) -> None:
    """Nothing if all worked.

    Raises:
        ProvisionError: those that did not, each with its reason.
    """
    failed = [one for one in done if one.error]
    if failed:
        reasons = "\n".join(f"{one.what}: {one.error}" for one in failed)
        raise ProvisionError(f"{len(failed)} of {len(done)} did not work:\n{reasons}")
