"""Messages about jobs to people, through Apprise: chat, mail, webhooks; the section `notify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd import Event, PlanStep
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `notify` section."""
    from tpuherd_apprise.config import NotifySection

    return ConfigSection(name="notify", model=NotifySection, description="Who is told what happens.")


@hookimpl
def plan(spec: JobSpec, base_directory: Path) -> Sequence[PlanStep]:
    """Say who is told what; an address that is not there, or that Apprise does not know, is refused."""
    from tpuherd_apprise.planning import steps

    return steps(spec, base_directory)


@hookimpl
def on_event(event: Event, spec: JobSpec, base_directory: Path) -> None:
    """Hand a message over to the thread that sends, if somebody wants to hear of it."""
    if getattr(spec, "notify", None) is None:
        return
    from tpuherd_apprise.notifying import notify

    notify(event, spec, base_directory)
