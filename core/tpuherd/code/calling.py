"""What stands in for the worker's program where an agent stands by: a call, for a small change."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd.agent.bundle import bundle
from tpuherd.code.payload import COMPRESS_BYTES

if TYPE_CHECKING:
    from tpuherd.code.payload import Payload
    from tpuherd.remote import AgentCall


def sync_call(snapshot: str, base: str, keep: int, payload: Payload) -> AgentCall | None:
    """The call that makes a snapshot, see `tpuherd_agent.sync`; `None`: the input is too large for that.

    Args:
        snapshot: its id.
        base: the id of the one that the input starts from.
        keep: how many snapshots stay.
        payload: the input.
    """
    from tpuherd.remote import AgentCall

    if len(payload.content) >= COMPRESS_BYTES:
        return None
    own = {"snapshot": snapshot, "base": base, "digest": payload.digest, "ready": _ready_script(keep)}
    words = [word for name, value in own.items() for word in (f"--{name}", value)]
    return AgentCall(digest=bundle().digest, words=("sync", *words, *(["--gone"] if payload.removes else [])))


def _ready_script(keep: int) -> str:
    """What `worker.sh` does in the background."""
    return f"{script('own.sh')}{script('copies.sh')}keep={keep}\nenter_own\nexec 9> lock\nget_ready\n"


@cache
def script(name: str) -> str:
    """One of the scripts here without the comments: it is sent each time."""
    lines = files("tpuherd.code").joinpath(name).read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("#"))
