"""The one way in: every call of the API, over gRPC or REST, in any version, is answered here."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tpuherd.errors import TpuherdError
from tpuherd_emulator.api import dialects, errors
from tpuherd_emulator.api.messages import INNER
from tpuherd_emulator.api.operations import CALLER_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd_emulator.api.methods import Method
    from tpuherd_emulator.api.places import Places
    from tpuherd_emulator.scheduler import Scheduler

Gate = Callable[[str, Any], None]
"""Asked before every call, without the lock: the method's name and its request in the inner version."""


class Calls:
    """Answers calls, one at a time."""

    def __init__(
        self,
        scheduler: Scheduler,
        places: Places,
        methods: Mapping[str, Method],
        answered: Callable[[], None],
        gate: Gate | None = None,
    ) -> None:
        """Set up.

        Args:
            scheduler: Its lock is held while a call is answered.
            places: The zones that there are.
            methods: What can be called, by name.
            answered: Called before each reply leaves.
            gate: May take its time, or raise an `ApiError` that is then the answer.
        """
        self._scheduler = scheduler
        self._places = places
        self._answered = answered
        self._gate = gate or _no_gate
        self.methods = methods

    def answer(self, name: str, version: str, request: Any) -> Any:
        """Answer one call.

        Args:
            name: One of `methods`.
            version: The version that the request has and the reply will have.
            request: A plain message.

        Returns:
            A plain message, serialized by nobody yet and changed by nobody any more.

        Raises:
            ApiError: Whatever else goes wrong is one, too: INTERNAL.
        """
        try:
            inner = dialects.in_version(request, INNER)
            self._gate(name, inner)
            self._places.check_request(inner)
            CALLER_VERSION.set(version)
            with self._scheduler.lock:  # copied under it, so that a reply is a state that there was
                reply = _copied(self.methods[name].answer(dialects.wrapped(inner)), version)
            self._answered()
            return reply
        except errors.ApiError:
            raise
        except TpuherdError as error:
            raise errors.internal(str(error)) from error
        except Exception as error:
            traceback.print_exc()
            raise errors.internal("Internal error encountered.") from error


def _no_gate(name: str, request: Any) -> None:
    """Let everything in."""


def _copied(reply: Any, version: str) -> Any:
    message = dialects.plain(reply)
    told = dialects.in_version(message, version)
    if told is message:
        told = type(message)()
        told.CopyFrom(message)
    return told
