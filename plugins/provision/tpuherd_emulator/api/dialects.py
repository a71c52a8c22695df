"""From one version of the API to another: the same fields by name, whatever their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.message_factory import GetMessageClass

from tpuherd_emulator.api.messages import BY_VERSION, INNER

_RENAMED = {"multislice_params": "multi_node_params", "multi_node_params": "multislice_params"}
"""The one field whose name differs, too: `v2` to `v2alpha1` and back."""

_SPEAKER = "api_version"
"""`Node.api_version`: each version of the API calls itself the newest, and knows no newer one."""

_PACKAGE = "google.cloud.tpu."


def plain_class(version: str, name: str) -> Any:
    """Return the plain protobuf class of a message of the API, for example `v2`, `GetNodeRequest`.

    Raises:
        AttributeError: That version has no such message.
    """
    return getattr(BY_VERSION[version], name).pb()


def plain(message: Any) -> Any:
    """Return the plain protobuf message in a wrapped one, or the message itself."""
    return type(message).pb(message) if hasattr(type(message), "pb") else message


def wrapped(message: Any) -> Any:
    """Return a plain message of the inner version as the API's own code wants it."""
    wrapper = getattr(BY_VERSION[INNER], message.DESCRIPTOR.name, None)
    return message if wrapper is None or not _ours(message.DESCRIPTOR) else wrapper.wrap(message)


def in_version(message: Any, version: str) -> Any:
    """Return a plain message in a version of the API; one that belongs to no version stays as it is."""
    if not _ours(message.DESCRIPTOR):
        return message
    return translated(message, plain_class(version, message.DESCRIPTOR.name))


def repacked(packed: Any, version: str) -> None:
    """Change a packed message (`Any`), in place, to a version of the API."""
    owner, _, name = packed.TypeName().rpartition(".")
    if owner == _PACKAGE + INNER and version != INNER:
        inner = plain_class(INNER, name).FromString(packed.value)
        packed.Pack(in_version(inner, version))


def translated(source: Any, target: Any) -> Any:
    """Return a message as one of another class that has the same fields, perhaps under other numbers.

    Args:
        source: A plain message.
        target: A plain class; what it has no field for is dropped.
    """
    if source.DESCRIPTOR is target.DESCRIPTOR:
        return source
    difference = _difference(source.DESCRIPTOR, target.DESCRIPTOR)
    rest = type(source)()
    rest.CopyFrom(source)
    for name in difference.gone:
        rest.ClearField(name)
    result = target.FromString(rest.SerializeToString())
    for here, there in difference.moved:
        _move(source, here, result, there)
    return result


@dataclass(frozen=True, slots=True)
class _Difference:
    gone: tuple[str, ...]
    """Fields of the source that are not the same field of the target."""
    moved: tuple[tuple[str, str], ...]
    """Those of them that it has all the same: name here, name there."""


@cache
def _difference(source: Any, target: Any) -> _Difference:
    pairs = {field: _counterpart(field, target) for field in source.fields}
    gone = [field for field, other in pairs.items() if other is None or not _same(field, other)]
    moved = tuple((field.name, other.name) for field in gone if (other := pairs[field]) is not None)
    return _Difference(tuple(field.name for field in gone), moved)


def _counterpart(field: Any, target: Any) -> Any:
    known = target.fields_by_name
    return known.get(field.name) or known.get(_RENAMED.get(field.name))


def _same(field: Any, other: Any) -> bool:
    """True if bytes of one can be read as the other."""
    if (field.number, field.type) != (other.number, other.type) or _speaks(field):
        return False
    if field.message_type is other.message_type:
        return True
    return not _difference(field.message_type, other.message_type).gone


def _move(source: Any, here: str, result: Any, there: str) -> None:
    field, other = source.DESCRIPTOR.fields_by_name[here], result.DESCRIPTOR.fields_by_name[there]
    value = getattr(source, here)
    if _speaks(field):
        setattr(result, there, _newest(other) if value == _newest(field) else value)
    elif field.message_type is None:
        _set_scalar(result, other, value)
    elif field.is_repeated:
        kind = GetMessageClass(other.message_type)
        getattr(result, there).extend([translated(item, kind) for item in value])
    elif source.HasField(here):
        getattr(result, there).CopyFrom(translated(value, GetMessageClass(other.message_type)))


def _set_scalar(result: Any, field: Any, value: Any) -> None:
    if field.is_repeated:
        getattr(result, field.name).extend(value)
    elif value:
        setattr(result, field.name, value)


def _speaks(field: Any) -> bool:
    return field.name == _SPEAKER and field.enum_type is not None


def _newest(field: Any) -> int:
    return int(max(value.number for value in field.enum_type.values))


def _ours(descriptor: Any) -> bool:
    return bool(descriptor.full_name.startswith(_PACKAGE))
