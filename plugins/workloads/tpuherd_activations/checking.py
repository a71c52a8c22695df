"""Functions of forms, checked before anything runs: their source is read, not run."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import ConfigError
from tpuherd.code.importing import import_roots
from tpuherd.config.choices import nearest
from tpuherd_activations.forms import chosen_form, contributed, source_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd.config.spec import JobSpec
    from tpuherd_activations.config import ActivationsSection

HERE = "worktree"
"""The way of sending code whose source is a folder on this machine; of others only the workers see it."""


def check_form(spec: JobSpec, section: ActivationsSection, base_directory: Path) -> None:
    """Refuse a form that there is not, a function that is not there, and options that it does not take.

    Raises:
        ConfigError: with what there is.
    """
    chosen_form(section)
    if section.built_in_form:
        return
    file = form_file(spec, section, base_directory)
    function = _named(section).partition(":")[2]
    takes = _function(file, function) if file is not None else None
    if takes is not None:
        _check_options(takes, section.form_options)


def form_file(spec: JobSpec, section: ActivationsSection, base_directory: Path) -> Path | None:
    """The file of the module of a form that is not built in; `None` if it is of code that is not here.

    Raises:
        ConfigError: there is no such module.
    """
    module = _named(section).partition(":")[0]
    return _in_code(spec, module, base_directory) if ":" in section.form else source_file(module)


def _named(section: ActivationsSection) -> str:
    """`module:function` of a form, as this machine imports it."""
    if ":" in section.form:
        return section.form
    (form,) = [form for _plugin, form in contributed() if form.name == section.form]
    return form.function


def _in_code(spec: JobSpec, module: str, base_directory: Path) -> Path | None:
    """The file of a module of the job's code; workers look in the same folders. None if it is not here."""
    if spec.code.sync == "none":
        raise ConfigError(f"activations.form: {module} is of the job's code, and code.sync sends none")
    if spec.code.sync != HERE:
        return None
    root = (base_directory / Path(spec.code.path).expanduser()).resolve()
    folders = [root / folder for folder in (*import_roots(root, spec.code.editable), ".")]
    names = [f"{module.replace('.', '/')}{end}" for end in (".py", "/__init__.py")]
    found = [folder / name for folder in folders for name in names if (folder / name).is_file()]
    if not found:
        there = sorted({file.stem for folder in folders for file in folder.glob("*.py")})
        raise ConfigError(
            f"activations.form: there is no module {module} in {root}; {nearest(module, there)}"
        )
    return found[0]


def _function(file: Path, name: str) -> ast.arguments | None:
    """What a function takes; None for a name that is made in another way than by `def`, an import perhaps."""
    try:
        body = ast.parse(file.read_text(), str(file)).body
    except SyntaxError as error:
        raise ConfigError(f"activations.form: {file}, line {error.lineno}: {error.msg}") from error
    known = {name: takes for node in body for name, takes in _bound(node)}
    if name not in known:
        raise ConfigError(
            f"activations.form: there is no function {name!r} in {file}; {nearest(name, known)}"
        )
    return known[name]


def _bound(node: ast.stmt) -> list[tuple[str, ast.arguments | None]]:
    """The names that a statement binds."""
    if isinstance(node, ast.FunctionDef):
        return [(node.name, node.args)]
    if isinstance(node, ast.ClassDef):
        return [(node.name, None)]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name.partition(".")[0], None) for alias in node.names]
    return [(part.id, None) for part in ast.walk(node) if isinstance(part, ast.Name) and _is_set(part)]


def _is_set(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _check_options(takes: ast.arguments, options: Iterable[str]) -> None:
    """The first two arguments are record and number; what comes after them are options."""
    if takes.kwarg is not None:
        return
    known = [argument.arg for argument in (*takes.posonlyargs, *takes.args)][2:]
    known += [argument.arg for argument in takes.kwonlyargs]
    for option in options:
        if option not in known:
            raise ConfigError(
                f"activations.form_options: there is no option {option!r}; {nearest(option, known)}"
            )
