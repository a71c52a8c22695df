"""Which keys a section may have, read from the models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd.config.problems import KeyPath


def valid_keys(model: type[BaseModel], section: KeyPath) -> list[str]:
    """Name the keys of a section, without those that are only read to be ignored."""
    return [name for name, field in _fields(_model_at(model, section)).items() if not field.exclude]


def description(model: type[BaseModel], path: KeyPath) -> str:
    """Return what a key is for; empty if it has no description."""
    field = _fields(_model_at(model, path[:-1])).get(str(path[-1]))
    return (field.description or "") if field else ""


def _fields(model: type[BaseModel] | None) -> Mapping[str, Any]:
    return {field.alias or name: field for name, field in model.model_fields.items()} if model else {}


def _model_at(model: type[BaseModel] | None, path: KeyPath) -> type[BaseModel] | None:
    """The model of the section at `path`; positions in lists do not change it."""
    for part in path:
        if isinstance(part, str):
            field = _fields(model).get(part)
            model = _model_in(field.annotation) if field else None
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(argument) for argument in get_args(annotation))
    return next((model for model in found if model), None)
