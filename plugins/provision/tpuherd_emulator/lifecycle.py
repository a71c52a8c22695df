"""Starting, joining, leaving and stopping an emulated cloud, from any process of the user.

Everything about a cloud is in one folder. Two callers at once are safe: the folder's lock lets one go first.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from tpuherd_emulator.cleaning import clean
from tpuherd_emulator.files import write_private
from tpuherd_emulator.info import CloudInfo
from tpuherd_emulator.layout import Layout
from tpuherd_emulator.lock import locked
from tpuherd_emulator.options import EmulatorOptions
from tpuherd_emulator.starting import running, start
from tpuherd_emulator.workers.backend import check_name

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "CloudInfo",
    "CloudStatus",
    "EmulatorOptions",
    "NodeStatus",
    "attach",
    "detach",
    "down",
    "down_if_unused",
    "status",
    "up",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatus:
    """One node in a status."""

    name: str
    zone: str
    accelerator: str
    state: str
    workers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudStatus:
    """What is known about a cloud without asking its API."""

    running: bool
    info: CloudInfo | None
    """`None` unless it runs."""
    users: tuple[str, ...]
    nodes: tuple[NodeStatus, ...]


def up(directory: Path, options: EmulatorOptions) -> CloudInfo:
    """Start an emulated cloud, or join the one that runs: its options stay as they are then.

    Args:
        directory: The cloud's folder; made if it does not exist, readable by this user only.
        options: For a new cloud.

    Raises:
        ProvisionError: It cannot be started; the message has the end of the daemon's log.
    """
    check_name(options.backend)
    layout = _layout(directory)
    with locked(layout.lock):
        return running(layout) or start(layout, options)


def status(directory: Path) -> CloudStatus:
    """Return how a cloud is; fast, from its files."""
    layout = _layout(directory)
    info = running(layout)
    return CloudStatus(
        running=info is not None,
        info=info,
        users=_users(layout),
        nodes=_nodes(layout) if info else (),
    )


def down(directory: Path) -> tuple[str, ...]:
    """Stop a cloud with everything on it; also what a killed daemon has left.

    Its keys, its log and the shared folder stay; workers and buckets go.

    Returns:
        One sentence per thing that was stopped or removed; empty if there was nothing.

    Raises:
        ProvisionError: Somebody else is starting or stopping it for too long.
    """
    layout = _layout(directory)
    if not layout.root.is_dir():
        return ()
    with locked(layout.lock):
        return clean(layout)


def down_if_unused(directory: Path) -> tuple[str, ...]:
    """Stop a cloud like `down`, unless it has users: asked under the lock, so nobody can join in between."""
    layout = _layout(directory)
    with locked(layout.lock):
        return () if _users(layout) else clean(layout)


def attach(directory: Path, user_id: str) -> None:
    """Note that somebody uses the cloud; to do it twice is to do it once."""
    layout = _layout(directory)
    with locked(layout.lock):
        layout.make()
        write_private(layout.users / quote(user_id, safe=""), "")


def detach(directory: Path, user_id: str) -> int:
    """Note that somebody no longer uses the cloud.

    Returns:
        How many users remain; with 0 the cloud can be stopped.
    """
    layout = _layout(directory)
    with locked(layout.lock):
        (layout.users / quote(user_id, safe="")).unlink(missing_ok=True)
        return len(_users(layout))


def _layout(directory: Path) -> Layout:
    return Layout(directory.expanduser().resolve())


def _users(layout: Layout) -> tuple[str, ...]:
    if not layout.users.is_dir():
        return ()
    return tuple(
        sorted(unquote(path.name) for path in layout.users.iterdir() if not path.name.startswith("."))
    )


def _nodes(layout: Layout) -> tuple[NodeStatus, ...]:
    try:
        rows = json.loads(layout.state.read_text())
    except FileNotFoundError:  # it is being stopped at this moment
        return ()
    return tuple(
        NodeStatus(name=name, zone=zone, accelerator=kind, state=state, workers=count)
        for name, zone, kind, state, count in rows
    )
