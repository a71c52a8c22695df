"""References of one key to another: `name: me-${tpu.accelerator}`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tpuherd.config.choices import closest
from tpuherd.config.problems import dotted
from tpuherd.config.secrets import looks_secret
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.config.document import Document
    from tpuherd.config.problems import KeyPath

SHELL_HINT = r"for a shell variable write $NAME or \${NAME}"


def interpolate(document: Document) -> None:
    """Replace all `${...}` in a document by what they refer to; wrong ones become its problems.

    OmegaConf does it. It is only imported if there is something to replace, because that takes longer than
    all the rest of loading a job file.
    """
    places = [(path, text) for path, text in leaves(document.data) if isinstance(text, str) and "${" in text]
    if not places:
        return
    readable = [(path, text) for path, text in places if _is_readable(document, path, text)]
    source = _source(document.data)
    for path, text in readable:
        try:
            _put(document.data, path, _resolved(source, path, text))
        except ConfigError as error:
            document.problems.append(document.problem(path, str(error)))


def leaves(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Yield every value that is no section and no list, with its path."""
    if not isinstance(value, dict | list):
        yield path, value
        return
    for key, child in value.items() if isinstance(value, dict) else enumerate(value):
        yield from leaves(child, (*path, key))


def _is_readable(document: Document, path: KeyPath, text: str) -> bool:
    """Say whether OmegaConf understands the text; if not, take it out: it would refuse the whole file."""
    from omegaconf.errors import GrammarParseError

    try:
        _source([text])
    except GrammarParseError:
        document.problems.append(document.problem(path, f"a `${{` in it starts no reference; {SHELL_HINT}"))
        _put(document.data, path, "")
        return False
    return True


def _source(values: Any) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.create(values)


def _resolved(source: Any, path: KeyPath, text: str) -> Any:
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    _refuse_secrets(text)
    node = source
    try:
        for part in path:
            node = node[part]
        return OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node
    except OmegaConfBaseException as error:
        raise ConfigError(_explain(str(error), source)) from error


def _refuse_secrets(text: str) -> None:
    for name in re.findall(r"\$\{\s*oc\.env\s*:\s*(\w+)", text):
        if looks_secret(name):
            raise ConfigError(
                f"${{oc.env:{name}}} would write a secret into the store; "
                f"put `{name}: {{env: {name}}}` into the section env, and use ${name} in the command"
            )


def _explain(message: str, source: Any) -> str:
    missing = re.search(r"Interpolation key '([^']*)' not found", message)
    if not missing:
        return f"{message.splitlines()[0]}; {SHELL_HINT}"
    from omegaconf import OmegaConf

    known = [dotted(path) for path, _ in leaves(OmegaConf.to_container(source, resolve=False))]
    close = closest(missing[1], known)
    question = f"did you mean ${{{close}}}? " if close else ""
    return f"${{{missing[1]}}} is not in this file; {question}{SHELL_HINT}"


def _put(data: Any, path: KeyPath, value: Any) -> None:
    for part in path[:-1]:
        data = data[part]
    data[path[-1]] = value
