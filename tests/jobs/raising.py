"""A plugin with a bug."""

from __future__ import annotations

from tpuherd import hookimpl


@hookimpl
def run_workload(job, allocation, environment, code):
    """Raise what is no error of tpuherd's."""
    raise ZeroDivisionError("a plugin of a test")
