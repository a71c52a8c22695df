"""From `module:function` to a form, and what stands for the function's code."""

from __future__ import annotations

import hashlib
import inspect
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .forms import Field, Form, Function

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType


def form_of(name: str, function: str, field: str, options: Mapping[str, Any]) -> Form:
    """The form that a job wants.

    Args:
        name: Its name.
        function: `module:function`; empty: it is built in.
        field: Where a built-in form finds the document.
        options: For the function.

    Raises:
        InputError: the function cannot be imported, or does not take the options.
    """
    if not function:
        return Field(field, name)
    make = getattr(_module(name, function), function.partition(":")[2], None)
    if not callable(make):
        raise InputError(f"form {name}: there is no function {function}")
    try:
        inspect.signature(make).bind({}, 0, **options)
    except TypeError as error:
        raise InputError(f"form {name}: {function} takes not what it gets: {error}") from error
    return Function(name, make, options)


def source_digest(name: str, function: str) -> str:
    """16 digits that stand for the code of the function's module: its file, or all files if it is a package.

    What it imports from elsewhere has no part in it. The digits are the same on every worker.
    """
    return digest_of_source(Path(str(_module(name, function).__file__))) if function else ""


def digest_of_source(file: Path) -> str:
    """The digits for the module of a file."""
    folder = file.parent
    files = sorted(folder.rglob("*.py")) if file.name == "__init__.py" else [file]
    found = hashlib.sha256()
    for path in files:
        found.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def _module(name: str, function: str) -> ModuleType:
    module = function.partition(":")[0]
    try:
        return import_module(module)
    except Exception as error:
        raise InputError(f"form {name}: cannot import {module}: {type(error).__name__}: {error}") from error
