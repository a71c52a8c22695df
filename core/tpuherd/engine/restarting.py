"""What a recovery keeps of the attempt before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.engine.stages import Stage
from tpuherd.errors import PluginError
from tpuherd.model.failure import (
    CleanAndRestart,
    MoveZone,
    ReplaceSlice,
    RerunFromScratch,
    RestartInPlace,
)

if TYPE_CHECKING:
    from tpuherd.model.failure import Recovery

KEPT: dict[type[Recovery], tuple[Stage, ...]] = {
    RestartInPlace: (Stage.PROVISION, Stage.PREPARE_ENV, Stage.SYNC_CODE),
    CleanAndRestart: (Stage.PROVISION,),
    RerunFromScratch: (Stage.PROVISION, Stage.PREPARE_ENV),
    ReplaceSlice: (),
    MoveZone: (),
}
"""Recovery to the stages whose values the next attempt begins with."""


def kept_stages(recovery: Recovery) -> tuple[Stage, ...]:
    """The stages that need not happen again; raises `PluginError` for a recovery that core does not know."""
    for kind, stages in KEPT.items():
        if isinstance(recovery, kind):
            return stages
    raise PluginError(
        f"the recovery policy decided {type(recovery).__name__}, which core cannot carry out; "
        f"it knows {', '.join(kind.__name__ for kind in KEPT)}, Wait and GiveUp"
    )
