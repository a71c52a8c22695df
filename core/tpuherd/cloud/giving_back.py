"""Giving back all that a job has or may have asked for, in every placement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.cloud.polling import poll
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.survey import survey, zones_of
from tpuherd.remote.parallel import in_parallel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.cloud.supply import Found, Supply
    from tpuherd.cloud.target import Target
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job

DELETE_TIMEOUT_S = 600.0


def give_back(job: Job, supply: Supply, allocation: Allocation | None) -> None:
    """Delete what is the job's, and wait until it is gone; also what a dead controller began to delete.

    Labels say what is the job's, of whatever attempt; names do not. What is not the job's stays as it is.

    Raises:
        CloudRefused: in some zone it is not known what there is, or a deletion was refused; all other zones
            have been seen to.
        ProvisionError: it took too long.
    """
    held = {piece.zone for piece in allocation.slices} if allocation else set()
    answers = survey(supply, zones_of(job, allocation), used=held)
    unknown = [answer for answer in answers.values() if isinstance(answer, CloudRefused)]
    found = [one for answer in answers.values() if not isinstance(answer, CloudRefused) for one in answer]
    refused = in_parallel(lambda one: _withdrawn(supply, one), found)
    _wait(job, supply, [one for one, error in zip(found, refused, strict=True) if error is None])
    _forget(job, found, allocation)
    _complain([*(error for error in refused if error), *unknown])


def _withdrawn(supply: Supply, found: Found) -> CloudRefused | None:
    try:
        supply.withdraw(found.target)
    except CloudRefused as error:
        return error
    return None


def _wait(job: Job, supply: Supply, leaving: Sequence[Found]) -> None:
    """Until none of them is left; one call per zone and look."""
    if not leaving:
        return
    names = ", ".join(f"{supply.noun} {one.target.name}" for one in leaving)
    targets = {one.target for one in leaving}
    zones = tuple(dict.fromkeys(target.zone for target in targets))
    poll(
        job,
        lambda: targets.isdisjoint(_left(supply, zones)) or None,
        what=f"the deletion of {names}",
        timeout_s=DELETE_TIMEOUT_S,
    )


def _left(supply: Supply, zones: tuple[str, ...]) -> set[Target]:
    answers = survey(supply, zones, used=zones).values()
    _complain([answer for answer in answers if isinstance(answer, CloudRefused)])
    return {one.target for answer in answers if not isinstance(answer, CloudRefused) for one in answer}


def _forget(job: Job, found: Sequence[Found], allocation: Allocation | None) -> None:
    """The host keys of what is gone: the file would only grow."""
    held = allocation.slices if allocation else ()
    for node in dict.fromkeys(
        [*(name for one in found for name in one.target.node_ids), *(p.node_id for p in held)]
    ):
        job.session.forget_host_keys(node)


def _complain(errors: Sequence[CloudRefused]) -> None:
    if len(errors) == 1:
        raise errors[0]
    if errors:
        lines = "\n".join(f"  {error.text}" for error in errors)
        raise CloudRefused(f"not everything could be given back:\n{lines}", errors[0].meaning)
