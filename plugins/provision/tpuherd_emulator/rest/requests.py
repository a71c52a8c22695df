"""From an HTTP request to the request message of a method."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from google.protobuf import json_format

from tpuherd_emulator.api import errors
from tpuherd_emulator.rest.newer import without_newer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd_emulator.rest.routes import Match

SYSTEM = frozenset(
    ("alt", "$alt", "prettyPrint", "$prettyPrint", "fields", "$fields", "key", "quotaUser", "uploadType",
     "upload_protocol", "access_token", "oauth_token", "callback", "$.xgafv", "f__xgafv", "trace",
     "enum-encoding", "$userProject")
)  # fmt: skip
"""Query parameters that all of Google's APIs have; of them, `alt` and `prettyPrint` change the reply here."""

_REFUSED = "Invalid JSON payload received."


def message(kind: Any, match: Match, query: Sequence[tuple[str, str]], body: bytes) -> Any:
    """Return the request message.

    Args:
        kind: Its plain class.
        match: The route, and the value from the path.
        query: Names and values of the query.
        body: As it was sent; may be empty.

    Raises:
        ApiError: Something in it is no field of the request, or has a wrong value.
    """
    values: dict[str, Any] = {}
    for name, text in query:
        if name not in SYSTEM:
            _bind(values, kind.DESCRIPTOR, name, text)
    if match.route.body == "*":
        values |= _object(body)
    elif match.route.body:
        values[match.route.body] = _object(body)
    request = _parsed(kind, values)
    *outer, last = match.field.split(".")
    place = request
    for name in outer:
        place = getattr(place, name)
    setattr(place, last, match.value)
    return request


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body or b"{}")
    except ValueError as error:
        raise errors.invalid(f"{_REFUSED} {error}") from error
    if not isinstance(found, dict):
        raise errors.invalid(f"{_REFUSED} Root element must be a message.")
    return without_newer(found)


def _parsed(kind: Any, values: dict[str, Any]) -> Any:
    try:
        return json_format.ParseDict(values, kind())
    except json_format.ParseError as error:
        raise errors.invalid(f"{_REFUSED} {error}") from error


def _bind(values: dict[str, Any], descriptor: Any, name: str, text: str) -> None:
    """Put one parameter of the query where it belongs; `node.state` is a field of a field."""
    *outer, last = name.split(".")
    for step in outer:
        field = _field(descriptor, step, name)
        if field.message_type is None:
            raise _unknown(name)
        values, descriptor = values.setdefault(field.name, {}), field.message_type
    field = _field(descriptor, last, name)
    value = _value(field, text)
    if field.is_repeated:
        values.setdefault(field.name, []).append(value)
    else:
        values[field.name] = value


def _field(descriptor: Any, name: str, whole: str) -> Any:
    known = {field.json_name: field for field in descriptor.fields} | dict(descriptor.fields_by_name.items())
    if name not in known:
        raise _unknown(whole)
    return known[name]


def _value(field: Any, text: str) -> Any:
    """Booleans come in any case: gcloud sends Python's `True`."""
    if field.type == field.TYPE_BOOL and text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if field.type == field.TYPE_ENUM and text.isdecimal():
        return int(text)
    if field.message_type is not None and field.message_type.full_name == "google.protobuf.FieldMask":
        return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), text)
    return text


def _unknown(name: str) -> errors.ApiError:
    return errors.invalid(
        f'{_REFUSED} Unknown name "{name}": Cannot bind query parameter. '
        f"Field '{name}' could not be found in request message."
    )
