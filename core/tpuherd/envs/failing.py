"""Why an environment could not be made, worker by worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.errors import PrepareError

if TYPE_CHECKING:
    from tpuherd.remote import FanOut, RemoteResult

REFUSED = 79
"""Exit code of `refuse` in `worker.sh`: the last line says why, and needs no log around it."""


def require_made(done: FanOut, action: str) -> None:
    """Nothing, if all succeeded.

    Raises:
        PrepareError: one failed. Reasons that workers gave themselves are listed for each; of other failures
            the last lines of the first are shown.
    """
    refused = [result for result in done.failed if result.code == REFUSED]
    if refused and len(refused) == len(done.failed):
        counted = f"{len(done.succeeded)} of {len(done.results)} workers succeeded"
        raise PrepareError(f"{action}: {counted}; {'; '.join(map(_reason, refused))}")
    done.require(PrepareError, action)


def _reason(result: RemoteResult) -> str:
    lines = result.stderr.strip().splitlines()
    return f"{result.worker.name}: {lines[-1] if lines else result.ending}"
