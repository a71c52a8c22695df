"""What plugin authors import from `tpuherd`: the hook marker, the values that cross hooks, the errors."""

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
from tpuherd.model.detector import Detector, Fact, Finding, Where
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
from tpuherd.model.finished_work import FinishedWork
from tpuherd.model.job import Attempt, Job
from tpuherd.model.observation import HostObservation, QueueObservation, Symptom
from tpuherd.model.outcome import (
    CollectedResults,
    EndedBy,
    Environment,
    ExitKind,
    SyncedCode,
    WorkerExit,
    WorkloadExit,
)
from tpuherd.model.plan import PlanStep
from tpuherd.model.prompt_form import PromptForm
from tpuherd.model.sighting import Answer, Progress, WorkerSighting
from tpuherd.workload import Launch, launch

__all__ = [
    "NAME",
    "Allocation",
    "Answer",
    "Attempt",
    "AttemptRecord",
    "Cancelled",
    "CleanAndRestart",
    "Cloud",
    "CollectedResults",
    "ConfigError",
    "ConfigSection",
    "Detached",
    "Detector",
    "Diagnosis",
    "EndedBy",
    "Environment",
    "Event",
    "ExitCode",
    "ExitKind",
    "Fact",
    "FailureClass",
    "Finding",
    "FinishedWork",
    "GiveUp",
    "HostObservation",
    "Job",
    "Launch",
    "MoveZone",
    "Observation",
    "PlanStep",
    "PluginError",
    "PrepareError",
    "Presence",
    "Progress",
    "PromptForm",
    "ProvisionError",
    "QueueObservation",
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
    "Symptom",
    "SyncError",
    "SyncedCode",
    "TpuherdError",
    "Wait",
    "Where",
    "Worker",
    "WorkerExit",
    "WorkerSighting",
    "WorkloadError",
    "WorkloadExit",
    "hookimpl",
    "launch",
]
