"""tpuherd: a plugin-based runner for Cloud TPU jobs.

This module is what a plugin author imports: the hook marker, the values that cross hooks, the errors.
It imports nothing heavy, because every plugin is loaded whenever the command starts.
"""

from __future__ import annotations

from tpuherd.config.section import ConfigSection
from tpuherd.errors import (
    Cancelled,
    ConfigError,
    Detached,
    PluginError,
    PrepareError,
    ProvisionError,
    RemoteError,
    StageError,
    StateError,
    SyncError,
    TpuherdError,
    WorkloadError,
)
from tpuherd.exit_codes import ExitCode
from tpuherd.markers import NAME, hookimpl
from tpuherd.model.allocation import Allocation, Slice, Worker
from tpuherd.model.cloud import Cloud, SshAccess
from tpuherd.model.event import Event
from tpuherd.model.failure import (
    AttemptRecord,
    CleanAndRestart,
    Diagnosis,
    FailureClass,
    GiveUp,
    MoveZone,
    Observation,
    Presence,
    Recovery,
    ReplaceSlice,
    RerunFromScratch,
    RestartInPlace,
    SliceObservation,
    Wait,
)
from tpuherd.model.job import Attempt, Job
from tpuherd.model.outcome import (
    CollectedResults,
    Environment,
    ExitKind,
    SyncedCode,
    WorkerExit,
    WorkloadExit,
)
from tpuherd.model.plan import PlanStep
from tpuherd.workload import Launch, launch

__all__ = [
    "NAME",
    "Allocation",
    "Attempt",
    "AttemptRecord",
    "Cancelled",
    "CleanAndRestart",
    "Cloud",
    "CollectedResults",
    "ConfigError",
    "ConfigSection",
    "Detached",
    "Diagnosis",
    "Environment",
    "Event",
    "ExitCode",
    "ExitKind",
    "FailureClass",
    "GiveUp",
    "Job",
    "Launch",
    "MoveZone",
    "Observation",
    "PlanStep",
    "PluginError",
    "PrepareError",
    "Presence",
    "ProvisionError",
    "Recovery",
    "RemoteError",
    "ReplaceSlice",
    "RerunFromScratch",
    "RestartInPlace",
    "Slice",
    "SliceObservation",
    "SshAccess",
    "StageError",
    "StateError",
    "SyncError",
    "SyncedCode",
    "TpuherdError",
    "Wait",
    "Worker",
    "WorkerExit",
    "WorkloadError",
    "WorkloadExit",
    "hookimpl",
    "launch",
]
