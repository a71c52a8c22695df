"""Tasks about plugins."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError
from tpuherd.manager import hook_names, list_plugins
from tpuherd.tasks.command import command
from tpuherd.tasks.loaded import manager

if TYPE_CHECKING:
    from invoke.context import Context


@command(
    name="list",
    help={
        "json": "Print JSON: name, distribution, version, status, hooks.",
        "hook": "Only the plugins that implement this hook.",
    },
)
def list_task(_context: Context, json: bool = False, hook: str = "") -> None:
    """Show all plugins: where they come from, whether they are active, and their hooks."""
    from tpuherd.output.tables import print_json, print_table

    known = hook_names()
    if hook and hook not in known:
        raise ConfigError(f"--hook={hook}: there is no such hook; {nearest(hook, known)}")
    found = [info for info in list_plugins(manager()) if not hook or hook in info.hooks]
    if json:
        print_json([asdict(info) for info in found])
        return
    rows = [(i.name, f"{i.distribution} {i.version}".strip(), i.status, ", ".join(i.hooks)) for i in found]
    print_table(("name", "distribution", "status", "hooks"), rows)
