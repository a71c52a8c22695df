"""The `rules` section of the job file."""

from __future__ import annotations

from pydantic import Field, field_validator

from tpuherd import FailureClass
from tpuherd.config.choices import nearest
from tpuherd.config.sections import Section, wrong
from tpuherd_rules.table import EVENTS, Action, Rule


class RulesSection(Section):
    """What is done after which failure."""

    rule: Rule | None = Field(
        None,
        description="tpu_manager's rule: pre, pass, reapply, rerun or resume; by default pre for spot and "
        "preemptible slices, pass for others.",
    )
    actions: dict[str, Action] = Field(
        {},
        description="Class of failure, or tpu_manager's preempted, grpc or locked, to what is done: pass, "
        "wait, resume, clean, reapply, move or rerun. These win over the rule.",
    )
    monitor: bool = Field(True, description="tpu_manager's switch; false means pass, whatever the rule says.")

    @field_validator("actions")
    @classmethod
    def _names_are_known(cls, value: dict[str, Action]) -> dict[str, Action]:
        known = [*(failure.value for failure in FailureClass), *EVENTS]
        for name in value:
            if name not in known:
                raise wrong(f"{name!r} is no class of failures; {nearest(name, known)}")
        return value

    @property
    def by_class(self) -> dict[FailureClass, Action]:
        """What `actions` says, by class; a class that is named itself wins over an event that has it."""
        events = {
            failure: action for name, action in self.actions.items() for failure in EVENTS.get(name, ())
        }
        classes = {failure.value: failure for failure in FailureClass}
        named = {classes[name]: action for name, action in self.actions.items() if name in classes}
        return events | named
