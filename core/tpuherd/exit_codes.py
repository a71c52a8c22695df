"""One exit code per kind of outcome, the same for every command."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the exit status of `tpuherd` means. Documented in `docs/reference/exit-codes.md`."""

    SUCCESS = 0
    """Everything that was asked for happened."""
    INTERNAL_ERROR = 1
    """A bug in tpuherd: a traceback is printed."""
    USAGE = 2
    """The command line itself is wrong: unknown task, unknown flag, missing argument."""
    JOB_FILE_WRONG = 3
    """The job file, or an option, is wrong; nothing was touched."""
    PLUGIN_ERROR = 4
    """A plugin is missing, cannot be loaded, or broke a rule."""
    CLOUD_REFUSED = 5
    """The cloud refused, or did not deliver in time (capacity, quota, permission, outage)."""
    PREPARE_FAILED = 6
    """The environment could not be made on every worker."""
    SYNC_FAILED = 7
    """The code did not arrive on every worker."""
    WORKLOAD_FAILED = 8
    """The workload ran and failed."""
    WORKER_UNREACHABLE = 9
    """A worker could not be reached, or a command on it failed."""
    STATE_FORBIDS = 10
    """No such job, or its state forbids the step, or another controller drives it, or a supervisor runs."""
    COMPARISON_FAILED = 11
    """`results.compare` found a figure beyond its threshold."""
    DETACHED = 12
    """The controller left on request; the job goes on."""
    TTL_OVER = 13
    """The job was stopped because its `--ttl` was over; what it held was given back."""
    NOTHING_FOUND = 14
    """`tpus.find` found no TPU that could be used now."""
    NOT_RESTORED = 15
    """`run --test-restart`: the second run did not restore, or the first ended before it was to be killed."""
    PAUSED = 16
    """The job was paused by `tpuherd pause`; `tpuherd resume` goes on with it."""
    CANCELLED = 130
    """The job was cancelled, by Ctrl-C or by `tpuherd cancel`."""
