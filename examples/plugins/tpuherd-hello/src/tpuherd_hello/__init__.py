"""A workload that says hello on every worker: `workload.kind: hello`."""

from __future__ import annotations

import shlex

from tpuherd import (
    Allocation,
    ConfigSection,
    Environment,
    Job,
    Launch,
    SyncedCode,
    WorkloadExit,
    hookimpl,
    launch,
)


@hookimpl
def config_section() -> ConfigSection:
    """The `hello` section of the job file."""
    from tpuherd_hello.config import HelloSection  # loads pydantic, which not every command needs

    return ConfigSection(name="hello", model=HelloSection, description="Whom every worker greets.")


@hookimpl
def run_workload(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode
) -> WorkloadExit | None:
    """Greet from every worker."""
    from tpuherd_hello.config import HelloSection

    hello = job.spec.section(HelloSection)
    line = f"echo hello {shlex.quote(hello.name)} from worker $TPUHERD_WORKER\n"
    return launch(job, allocation, environment, code, Launch(script=line * hello.times))
