"""A job file as YAML: plain values, where each was written, and what YAML itself lets pass silently."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

from tpuherd.config.problems import KeyPath, Origin, Problem
from tpuherd.errors import ConfigError

MOST_VALUES = 100_000
"""Values in one file; more than that come from aliases that multiply each other."""

_CORE = "tag:yaml.org,2002:"
_SCALARS = {_CORE + kind for kind in ("null", "bool", "int", "float", "str")}
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True, kw_only=True)
class Document:
    """The values of one job file; `overrides.apply` changes them before they are checked."""

    file: str
    data: dict[str, Any]
    origins: dict[KeyPath, Origin] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    filled: set[KeyPath] = field(default_factory=set)
    """Keys that nobody wrote: they follow from others, see `completion`."""

    def origin(self, path: KeyPath) -> Origin:
        """Return where a value, or the nearest section around it, was written."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return Origin(text=self.file)

    def problem(self, path: KeyPath, text: str) -> Problem:
        """Return what is wrong with the value at `path`."""
        return Problem(origin=self.origin(path), path=path, text=text)


def parse(text: str, file: str) -> Document:
    """Read a job file.

    Args:
        text: The file's content.
        file: Its name in errors.

    Raises:
        ConfigError: It is not YAML, or empty, or no map. Duplicate keys are in the `problems` of the result.
    """
    document = Document(file=file, data={})
    value = _read(text, document)
    if value is None:
        raise ConfigError(f"{file}: the file is empty; a job needs at least tpu.accelerator and tpu.zone")
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "a single value"
        raise ConfigError(f"{file}: the top level is {kind}; expected sections, such as `tpu:`")
    document.data = value
    return document


def parse_value(text: str) -> Any:
    """Read the value of one override, as YAML would read it in a file.

    Raises:
        ConfigError: It is not YAML, or has a key twice.
    """
    document = Document(file="value", data={})
    value = _read(text, document)
    if document.problems:
        raise ConfigError(document.problems[0].text)
    return value


def _read(text: str, document: Document) -> Any:
    try:
        loader = _LOADER(text)
        node = loader.get_single_node()
        return None if node is None else _Builder(loader, document).build(node, ())
    except yaml.YAMLError as error:
        raise ConfigError(_yaml_error(error, document.file)) from error
    except RecursionError:
        raise ConfigError(f"{document.file}: the values are nested too deeply") from None


def _yaml_error(error: yaml.YAMLError, file: str) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark else file
    parts = [getattr(error, "problem", None) or str(error), getattr(error, "context", None)]
    return f"{where}: not valid YAML: {', '.join(part for part in parts if part)}"


class _Builder:
    """Turns YAML nodes into values, and notes lines and duplicates on the way."""

    def __init__(self, loader: Any, document: Document) -> None:
        self.loader = loader
        self.document = document
        self.open: set[int] = set()
        self.count = 0

    def build(self, node: yaml.Node, path: KeyPath) -> Any:
        """Return the value of a node."""
        self._count(node)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        self.open.add(id(node))
        value = self._map(node, path) if isinstance(node, yaml.MappingNode) else self._list(node, path)
        self.open.remove(id(node))
        return value

    def _count(self, node: yaml.Node) -> None:
        self.count += 1
        if id(node) in self.open or self.count > MOST_VALUES:
            line = node.start_mark.line + 1
            raise ConfigError(f"{self.document.file}:{line}: aliases (`*name`) repeat themselves without end")

    def _scalar(self, node: yaml.ScalarNode, path: KeyPath) -> Any:
        if node.tag in _SCALARS:
            return self.loader.construct_object(node)
        if not node.tag.startswith(_CORE + "timestamp"):
            self._problem(node, path, f"tag {node.tag!r} is not accepted; write plain values")
        return node.value

    def _list(self, node: yaml.Node, path: KeyPath) -> list[Any]:
        return [self.build(child, (*path, index)) for index, child in enumerate(node.value)]

    def _map(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        self._check_keys(node, path)
        self.loader.flatten_mapping(node)
        values = {}
        for key, child in node.value:
            name = str(key.value)
            self.document.origins[*path, name] = self._origin(key)
            values[name] = self.build(child, (*path, name))
        return values

    def _check_keys(self, node: yaml.MappingNode, path: KeyPath) -> None:
        first: dict[str, int] = {}
        for key, _ in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                self._problem(key, path, "a key has to be a plain word")
            if name in first:
                self._problem(key, (*path, name), f"the key is there twice, first in line {first[name]}")
            first.setdefault(name, line)

    def _problem(self, node: yaml.Node, path: KeyPath, text: str) -> None:
        self.document.problems.append(Problem(origin=self._origin(node), path=path, text=text))

    def _origin(self, node: yaml.Node) -> Origin:
        line = node.start_mark.line + 1
        return Origin(text=f"{self.document.file}:{line}", line=line)
