"""Forms on this machine: which there are, and what of them goes to the workers."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import ConfigError
from tpuherd.config.choices import nearest
from tpuherd.hooks import GlobalHooks
from tpuherd_activations.worker.input.forms import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd import PromptForm
    from tpuherd_activations.config import ActivationsSection

PACKAGE = "tpuherd_activations_forms"
"""Where a plugin's form is imported from on the workers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenForm:
    """What makes documents of a job's records.

    Attributes:
        function: `module:function`, as workers import it; empty: it is built in.
        files: Name to text, for the attempt's folder.
    """

    function: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


def contributed() -> list[tuple[str, PromptForm]]:
    """The forms of all plugins, each with its plugin's name."""
    from tpuherd.tasks.loaded import manager

    return GlobalHooks(manager()).prompt_forms()


def chosen_form(section: ActivationsSection) -> ChosenForm:
    """What a job names.

    Raises:
        ConfigError: there is no such form, or a built-in one is to have options.
    """
    if section.built_in_form:
        if section.form_options:
            raise ConfigError(f"activations.form_options: the form {section.form} takes none")
        return ChosenForm()
    if ":" in section.form:
        return ChosenForm(function=section.form)
    forms = {form.name: form for _plugin, form in contributed()}
    if section.form not in forms:
        known = nearest(section.form, [*BUILT_IN, *forms])
        raise ConfigError(
            f"activations.form: there is no form {section.form!r}; {known}; "
            "a function of the job's code is named module:function"
        )
    module, _, function = forms[section.form].function.partition(":")
    last = module.rpartition(".")[2]
    return ChosenForm(function=f"{PACKAGE}.{last}:{function}", files=module_files(module))


def source_file(module: str) -> Path:
    """The file of a plugin's module on this machine; raises `ConfigError` if there is none."""
    try:
        found = find_spec(module)
    except ImportError:  # of what is above it
        found = None
    if found is None or found.origin is None:
        raise ConfigError(f"activations.form: the plugin's module {module} is not there")
    return Path(found.origin)


def module_files(module: str) -> dict[str, str]:
    """The source of a module, or of all modules of a package, below `PACKAGE`."""
    file = source_file(module)
    if file.name != "__init__.py":
        return {f"{PACKAGE}/{file.name}": file.read_text()}
    above = file.parents[1]
    below = sorted(file.parent.rglob("*.py"))
    return {f"{PACKAGE}/{path.relative_to(above).as_posix()}": path.read_text() for path in below}
