"""The errors that tpuherd raises, and the exit code of each.

TpuherdError
├── ConfigError        the job file or an option is wrong; nothing was touched
├── PluginError        a plugin is missing, broken, or broke a rule
├── StateError         the store, or what it says about a job, forbids this step
│   └── LocalError     this machine cannot go on at present: its disk is full, its store does not answer
├── StageError         a stage of a job failed
│   ├── ProvisionError the cloud refused or did not deliver
│   ├── PrepareError   an environment could not be made
│   ├── SyncError      the code did not arrive
│   └── WorkloadError  the workload failed or could not be started
│       └── NotRestoredError  a restart test found that it does not go on where it was
└── RemoteError        a worker could not be reached, or a command on it failed
"""

from __future__ import annotations

from tpuherd.exit_codes import ExitCode


class TpuherdError(Exception):
    """Base of all errors that a user can act on: printed as one message, without a traceback."""

    exit_code: ExitCode = ExitCode.INTERNAL_ERROR


class ConfigError(TpuherdError):
    """The job file, or an option on the command line, is wrong."""

    exit_code = ExitCode.JOB_FILE_WRONG


class PluginError(TpuherdError):
    """A plugin is missing, cannot be loaded, or returned what it must not."""

    exit_code = ExitCode.PLUGIN_ERROR


class StateError(TpuherdError):
    """What the store says about a job forbids this step."""

    exit_code = ExitCode.STATE_FORBIDS


class LocalError(StateError):
    """This machine cannot go on at present: its disk is full, or the store cannot be used.

    It says nothing about a job: no attempt has failed because of it.
    """


class StageError(TpuherdError):
    """A stage of a job failed."""


class ProvisionError(StageError):
    """The cloud refused the request, or did not deliver in time."""

    exit_code = ExitCode.CLOUD_REFUSED


class PrepareError(StageError):
    """The environment could not be made on every worker."""

    exit_code = ExitCode.PREPARE_FAILED


class SyncError(StageError):
    """The code did not arrive on every worker."""

    exit_code = ExitCode.SYNC_FAILED


class WorkloadError(StageError):
    """The workload failed, or could not be started."""

    exit_code = ExitCode.WORKLOAD_FAILED


class NotRestoredError(WorkloadError):
    """A restart test: the workload did not restore on its second start, or had ended before the kill."""

    exit_code = ExitCode.NOT_RESTORED


class RemoteError(TpuherdError):
    """A worker could not be reached, or a command on it failed."""

    exit_code = ExitCode.WORKER_UNREACHABLE


class Cancelled(TpuherdError):
    """The job was cancelled: by Ctrl-C, or by `tpuherd cancel`."""

    exit_code = ExitCode.CANCELLED


class Expired(Cancelled):
    """The job was stopped because the time for which it may hold slices is over."""

    exit_code = ExitCode.TTL_OVER


class Finished(Cancelled):
    """The job was stopped because nothing is left to do: another member of its fleet has done the rest."""

    exit_code = ExitCode.SUCCESS


class Paused(Cancelled):
    """The job is paused by `tpuherd pause`: what runs is stopped, and another attempt goes on later."""

    exit_code = ExitCode.PAUSED

    def __init__(self, text: str, *, release: bool) -> None:
        """Keep the text, and whether the slices are given back."""
        super().__init__(text)
        self.release = release


class Detached(TpuherdError):
    """The controller leaves; the job goes on without it."""

    exit_code = ExitCode.DETACHED
