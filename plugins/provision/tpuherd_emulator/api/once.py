"""Requests with an id are answered once: the same id again gets the same operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

KEPT = 10_000
"""Ids beyond this number are forgotten, the oldest first."""


class Once:
    """Remembers what requests with an id were answered with. Used under the scheduler's lock."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str, str], Any] = {}

    def of(self, answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a method that does its work once per `request_id` and resource.

        Args:
            answer: The method; an error is not remembered, so the same request may be tried again.
        """

        def answered(request: Any) -> Any:
            scope = getattr(request, "parent", "") or request.name
            key = (type(request).__name__, scope, request.request_id)
            if not request.request_id:
                return answer(request)
            if key not in self._answers:
                self._answers[key] = answer(request)
                self._forget()
            return self._answers[key]

        return answered

    def _forget(self) -> None:
        while len(self._answers) > KEPT:
            del self._answers[next(iter(self._answers))]
