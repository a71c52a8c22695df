"""Prompt forms: functions that make documents of records, for workloads that read documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptForm:
    """One way to turn a record of the input into documents."""

    name: str
    """What a job file calls it, for example in `activations.form`."""
    function: str
    """`module:function`. The module (its file, or all files of its folder if it is a package) is sent to the
    workers, where tpuherd is not installed; so it imports only what the job's environment has, and imports
    its own modules relatively."""
    description: str
    """What it makes of a record, in one line."""
