"""Errors of a bucket's client as errors of a place."""

from __future__ import annotations

from functools import wraps
from inspect import isfunction
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import PlaceError

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = TypeVar("Kind", bound=type)


def told(kind: Kind) -> Kind:
    """Have what the client raises (no rights, network or credentials) come out of a class as `PlaceError`."""
    for name, method in list(vars(kind).items()):
        if isfunction(method) and not name.startswith("_"):
            setattr(kind, name, _told(method))
    return kind


def _told(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def asked(self: Any, *arguments: Any, **named: Any) -> Any:
        from google.api_core.exceptions import GoogleAPIError
        from google.auth.exceptions import GoogleAuthError
        from requests.exceptions import RequestException

        try:
            return method(self, *arguments, **named)
        except (GoogleAPIError, GoogleAuthError, RequestException) as error:
            raise PlaceError(f"{self.address}: {type(error).__name__}: {error}") from error

    return asked
