"""Leaving a job as it is: whatever a process that does not drive it any more still did would be wrong."""

from __future__ import annotations


class Left(BaseException):
    """Ends the work on a job in this process, and changes nothing: no row, no workload, no slice.

    It is no `Exception`: what handles failures of a job must not take it for one.
    """
