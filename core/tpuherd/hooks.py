"""The typed face of the hooks: the only place that calls them."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tpuherd.blame import blamed
from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError, PluginError, TpuherdError
from tpuherd.providers import NAMED_BY, chosen_plugin, implementers, narrowed, with_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pluggy import PluginManager

    from tpuherd.config.section import ConfigSection
    from tpuherd.config.spec import JobSpec
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.cloud import Cloud
    from tpuherd.model.detector import Detector
    from tpuherd.model.event import Event
    from tpuherd.model.failure import AttemptRecord, Diagnosis, Observation, Recovery, SliceObservation
    from tpuherd.model.finished_work import FinishedWork
    from tpuherd.model.job import Attempt, Job
    from tpuherd.model.outcome import CollectedResults, Environment, SyncedCode, WorkloadExit
    from tpuherd.model.plan import PlanStep
    from tpuherd.model.prompt_form import PromptForm
    from tpuherd.tasks.collection import TaskCollection

log = logging.getLogger(__name__)


class GlobalHooks:
    """The hooks that are asked of every plugin, without a job."""

    def __init__(self, manager: PluginManager) -> None:
        """Keep the manager that holds the plugins."""
        self.manager = manager

    def config_sections(self) -> list[ConfigSection]:
        """Ask all plugins for their sections of the job file."""
        return cast("list[ConfigSection]", self._call(self.manager.hook.config_section))

    def register_tasks(self, namespace: TaskCollection) -> None:
        """Let all plugins add their tasks."""
        self._call(self.manager.hook.register_tasks, namespace=namespace)

    def visit_cloud(self, name: str, project: str | None) -> Cloud:
        """Ask the plugin of that name, see `hookspecs.visit_cloud`.

        Raises:
            ConfigError: no plugin of that name knows a cloud.
        """
        clouds = implementers(self.manager.hook.visit_cloud)
        plugin = name.replace("-", "_")
        if plugin not in clouds:
            raise ConfigError(f"there is no cloud {name!r}; {nearest(name, clouds)}")
        found = self._call(narrowed(self.manager, "visit_cloud", {plugin}), project=project)
        if found is None:
            raise PluginError(f"plugin '{plugin}' returned None from visit_cloud")
        return cast("Cloud", found)

    def prompt_forms(self) -> list[tuple[str, PromptForm]]:
        """Ask every plugin for its ways to make documents of records; each with its plugin's name.

        Raises:
            PluginError: two plugins have a form of the same name.
        """
        found: dict[str, tuple[str, PromptForm]] = {}
        for plugin, caller in self._one_by_one("prompt_forms"):
            for form in (form for answer in self._call(caller) for form in answer):
                other, _ = found.setdefault(form.name, (plugin, form))
                if other != plugin:
                    raise PluginError(
                        f"plugins '{other}' and '{plugin}' both have a prompt form {form.name!r}; "
                        "leave one of them out"
                    )
        return list(found.values())

    def detectors(self) -> list[tuple[str, Detector]]:
        """Ask every plugin on its own for its rows of the detector table; each row with its plugin's name."""
        rows: list[tuple[str, Detector]] = []
        for name, caller in self._one_by_one("detectors"):
            try:
                rows += [(name, row) for answer in caller() for row in answer]
            except Exception:
                log.exception("plugin '%s' failed in detectors", name)
        return rows

    def _one_by_one(self, hook: str) -> list[tuple[str, Any]]:
        names = implementers(getattr(self.manager.hook, hook))
        return [(name, narrowed(self.manager, hook, {name})) for name in names]

    def _call(self, caller: Any, **arguments: object) -> Any:
        try:
            return caller(**arguments)
        except Exception as error:
            named = blamed(error, caller)
            if named is error:
                raise
            raise named from error


class Hooks(GlobalHooks):
    """The hooks of one job: each call goes to the plugin that the job file names."""

    def __init__(self, manager: PluginManager, spec: JobSpec) -> None:
        """Keep the manager, and the job file that chooses among its plugins."""
        super().__init__(manager)
        self.spec = spec

    def plan(self, base_directory: Path = Path()) -> list[PlanStep]:
        """Ask the chosen plugins what they would do; see `hookspecs.plan`."""
        chosen = {chosen_plugin(self.spec, hook) for hook in NAMED_BY} | set(self.equippers())
        chosen |= self._listeners()
        planning = narrowed(self.manager, "plan", chosen)
        steps = self._call(planning, spec=self.spec, base_directory=base_directory)
        return [step for answer in steps for step in answer]

    def _listeners(self) -> set[str]:
        """The plugins that hear events and have a section in this job file."""
        sectioned = set(implementers(self.manager.hook.config_section))
        return sectioned & set(with_section(self.manager, self.spec, "on_event"))

    def connect_cloud(self, *, job_id: str) -> Cloud:
        """See `hookspecs.connect_cloud`."""
        return cast("Cloud", self._required("connect_cloud", spec=self.spec, job_id=job_id))

    def leave_cloud(self, *, cloud: Cloud, job_id: str) -> None:
        """See `hookspecs.leave_cloud`."""
        self._chosen("leave_cloud", cloud=cloud, job_id=job_id)

    def finds_finished(self) -> bool:
        """Whether the workload's plugin can say that its work was done before."""
        finders = implementers(self.manager.hook.find_finished)
        return chosen_plugin(self.spec, "find_finished") in finders

    def find_finished(self, *, base_directory: Path, cloud: Cloud) -> FinishedWork | None:
        """See `hookspecs.find_finished`."""
        result = self._chosen("find_finished", spec=self.spec, base_directory=base_directory, cloud=cloud)
        return cast("FinishedWork | None", result)

    def provision(self, *, job: Job, attempt: Attempt) -> Allocation:
        """See `hookspecs.provision`."""
        return cast("Allocation", self._required("provision", job=job, attempt=attempt))

    def equippers(self) -> list[str]:
        """The plugins that put something around the workload of this job."""
        return with_section(self.manager, self.spec, "equip_workers")

    def equip_workers(self, *, job: Job, allocation: Allocation) -> None:
        """See `hookspecs.equip_workers`."""
        equipping = narrowed(self.manager, "equip_workers", set(self.equippers()))
        self._call(equipping, job=job, allocation=allocation)

    def leave_workers(self, *, job: Job, allocation: Allocation) -> list[TpuherdError]:
        """See `hookspecs.leave_workers`; returns what went wrong: slices are given back anyway."""
        problems = []
        for name in reversed(with_section(self.manager, self.spec, "leave_workers")):
            try:
                leaving = narrowed(self.manager, "leave_workers", {name})
                self._call(leaving, job=job, allocation=allocation)
            except TpuherdError as error:
                problems.append(error)
        return problems

    def prepare_env(self, *, job: Job, allocation: Allocation) -> Environment:
        """See `hookspecs.prepare_env`."""
        return cast("Environment", self._required("prepare_env", job=job, allocation=allocation))

    def sync_code(self, *, job: Job, allocation: Allocation) -> SyncedCode:
        """See `hookspecs.sync_code`."""
        return cast("SyncedCode", self._required("sync_code", job=job, allocation=allocation))

    def run_workload(
        self, *, job: Job, allocation: Allocation, environment: Environment, code: SyncedCode
    ) -> WorkloadExit:
        """See `hookspecs.run_workload`."""
        result = self._required(
            "run_workload", job=job, allocation=allocation, environment=environment, code=code
        )
        return cast("WorkloadExit", result)

    def collect(
        self,
        *,
        job: Job,
        allocation: Allocation,
        environment: Environment,
        code: SyncedCode,
        end: WorkloadExit,
    ) -> CollectedResults | None:
        """See `hookspecs.collect`."""
        result = self._chosen(
            "collect", job=job, allocation=allocation, environment=environment, code=code, end=end
        )
        return cast("CollectedResults | None", result)

    def observe(self, *, job: Job, allocation: Allocation) -> Sequence[SliceObservation]:
        """See `hookspecs.observe`; no answer is an empty one."""
        result = self._chosen("observe", job=job, allocation=allocation)
        return cast("Sequence[SliceObservation]", result or ())

    def detect_failure(self, *, job: Job, observation: Observation) -> list[Diagnosis]:
        """Ask every plugin on its own, see `hookspecs.detect_failure`; the most confident opinion first."""
        opinions = []
        for name, caller in self._one_by_one("detect_failure"):
            try:
                opinions += caller(job=job, observation=observation)
            except Exception:
                log.exception("plugin '%s' failed in detect_failure", name)
        return sorted(cast("list[Diagnosis]", opinions), key=lambda opinion: -opinion.confidence)

    def recover(self, *, job: Job, diagnosis: Diagnosis, history: Sequence[AttemptRecord]) -> Recovery | None:
        """See `hookspecs.recover`."""
        return cast("Recovery | None", self._chosen("recover", job=job, diagnosis=diagnosis, history=history))

    def on_event(self, event: Event, base_directory: Path) -> None:
        """Tell every plugin; one that fails is logged and does not keep the others from hearing it."""
        for name, caller in self._one_by_one("on_event"):
            try:
                caller(event=event, spec=self.spec, base_directory=base_directory)
            except Exception:
                log.exception("plugin '%s' failed in on_event", name)

    def release(self, *, job: Job, allocation: Allocation | None) -> None:
        """See `hookspecs.release`."""
        self._required("release", job=job, allocation=allocation)

    def _chosen(self, hook: str, **arguments: object) -> Any:
        plugin = chosen_plugin(self.spec, hook)
        return self._call(narrowed(self.manager, hook, {plugin}), **arguments)

    def _required(self, hook: str, **arguments: object) -> Any:
        answer = self._chosen(hook, **arguments)
        if answer is None:
            plugin = chosen_plugin(self.spec, hook)
            raise PluginError(
                f"plugin '{plugin}', named by {NAMED_BY[hook]}, has no answer for hook '{hook}'; "
                f"installed: {', '.join(implementers(getattr(self.manager.hook, hook))) or 'none'}"
            )
        return answer
