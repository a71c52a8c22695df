"""How far a workload says to be: a small JSON file that it writes into its attempt's folder.

`{"step": 120, "total": 1000, "checkpoint_step": 100}` in `$TPUHERD_ATTEMPT_DIR/progress.json`, every key
optional; `alive` and counts are passed on as well. A file that makes no sense counts as none.
"""

from __future__ import annotations

from tpuherd_agent.files import read_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tpuherd_agent.attempt import Attempt

_LARGEST_BYTES = 4096


def read_progress(attempt: Attempt) -> dict[str, int] | None:
    """The counters that it has written; `None`: none."""
    try:
        if attempt.progress.stat().st_size > _LARGEST_BYTES:
            return None
        record = read_record(attempt.progress)
    except OSError:
        return None
    return {key: value for key, value in record.items() if type(value) is int and value >= 0} or None
