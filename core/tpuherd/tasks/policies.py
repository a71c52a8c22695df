"""The task that explains the recovery policies."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context


@command(
    words="name",
    help={
        "name": "Explain these in full: policies, or modules of yours. Also as plain words.",
        "json": "Print JSON.",
    },
)
def policies(_context: Context, name: list[str], json: bool = False) -> None:
    """Explain the recovery policies that a job file can name as `recovery.policy`.

    Names of policies are explained in full: `tpuherd policies tiered rules`. A module of your own that
    Python can import is one, too: `tpuherd policies my_team.policy`.
    """
    from tpuherd.output.tables import print_json, print_table

    _load_modules(name)
    rows = _policies()
    wanted = [_known(word, [row["policy"] for row in rows]) for word in name]
    chosen = [row for row in rows if not wanted or row["policy"] in wanted]
    if json:
        print_json(chosen)
    elif wanted:
        sys.stdout.write("\n\n".join(row["text"] for row in chosen) + "\n")
        _print_budgets()
    else:
        print_table(
            ("policy", "from", "what it does"), [(r["policy"], r["from"], r["summary"]) for r in chosen]
        )


def _load_modules(names: list[str]) -> None:
    from tpuherd.providers import load_module
    from tpuherd.tasks.loaded import manager

    for name in names:
        if "." in name and not manager().has_plugin(name):
            load_module(manager(), name, "tpuherd policies")


def _policies() -> list[dict[str, str]]:
    from tpuherd.manager import list_plugins
    from tpuherd.providers import implementers
    from tpuherd.tasks.loaded import manager

    origins = {info.name: f"{info.distribution} {info.version}".strip() for info in list_plugins(manager())}
    rows = []
    for policy in implementers(manager().hook.recover):
        text = inspect.getdoc(manager().get_plugin(policy)) or "(it does not say)"
        summary = text.splitlines()[0].partition(": `")[0]
        rows.append({"policy": policy, "from": origins.get(policy, ""), "summary": summary, "text": text})
    return rows


def _known(word: str, policies: list[str]) -> str:
    from tpuherd.config.choices import nearest

    policy = word.replace("-", "_")
    if policy not in policies:
        raise ConfigError(f"there is no policy {word!r}; {nearest(word, policies)}")
    return policy


def _print_budgets() -> None:
    from tpuherd.output.tables import print_table
    from tpuherd.recovery.budgets import DEFAULTS

    rows = [(kind.value, "unlimited" if count is None else count) for kind, count in DEFAULTS.items()]
    print_table(("class", "default of recovery.budgets"), rows)
