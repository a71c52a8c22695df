"""The job file of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from tpuherd import FailureClass

if TYPE_CHECKING:
    from pathlib import Path

    from chaotic.site import Site
    from chaotic.values import Plan, Shape

BUDGET = 50
"""No plan has so many faults: a job that can go on does."""

RULES = {
    FailureClass.NETWORK: "resume",
    FailureClass.UNKNOWN: "resume",
    FailureClass.HUNG: "resume",
    FailureClass.DIRTY_DEVICE: "clean",
    FailureClass.USER_ERROR: "pass",
}
"""What `rules` does; all other classes get new slices."""


def write(site: Site, plan: Plan) -> Path:
    """Write it into the site's folder; the ledger of its work will be in `folder(site, plan)`."""
    folder(site, plan).mkdir()
    path = site.root / f"{plan.name}.yaml"
    path.write_text(yaml.safe_dump(_content(site, plan)))
    return path


def folder(site: Site, plan: Plan) -> Path:
    """Where the work of a plan writes its ledger, on this machine and on all workers."""
    return site.shared / plan.name


def _content(site: Site, plan: Plan) -> dict[str, Any]:
    shape = plan.shape
    return {
        "cloud": "emulator",
        "tpu": {
            "accelerator": shape.accelerator,
            "zones": list(shape.zones),
            "allocation_mode": shape.mode,
            "connect_timeout_s": 15,
            "active_timeout_s": 15,
            "accepted_timeout_s": 10,
        },
        "command": {"cmd": f"exec python3 -I -S {site.shared}/work.py {' '.join(_arguments(site, plan))}"},
        "timeouts": {"grace_s": 1},
        "recovery": _recovery(site, shape),
        **_of_the_policy(shape),
    }


def _arguments(site: Site, plan: Plan) -> list[str]:
    shape = plan.shape
    numbers = (shape.steps, shape.step_s, shape.save_every, int(shape.heeds_term), shape.fails_at)
    return [str(folder(site, plan)), *map(str, numbers)]


def _recovery(site: Site, shape: Shape) -> dict[str, Any]:
    budgets = {failure.value: BUDGET for failure in FailureClass if failure is not FailureClass.USER_ERROR}
    return {
        "policy": shape.policy,
        "checkpoint_directory": f"{site.shared}/checkpoints/{{job}}",
        "backoff": {"first_s": 0.1, "longest_s": 1.0},
        "budgets": budgets,
    }


def _of_the_policy(shape: Shape) -> dict[str, Any]:
    if shape.policy == "rules":
        return {"rules": {"actions": {one.value: RULES.get(one, "reapply") for one in FailureClass}}}
    return {"failover": {"zones": list(shape.zones)}} if shape.policy == "failover" else {}
