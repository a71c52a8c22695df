"""The state of an emulated cloud, with all who watch it: the API, metadata servers, faults and scenarios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd_emulator.api.context import Context
from tpuherd_emulator.api.front import front
from tpuherd_emulator.api.nodes import Nodes
from tpuherd_emulator.api.operations import Operations
from tpuherd_emulator.api.places import Places
from tpuherd_emulator.api.queued_resources import QueuedResources
from tpuherd_emulator.api.striking import Striking
from tpuherd_emulator.clock import MANUAL_SPEED, Clock
from tpuherd_emulator.control.answers import Answers
from tpuherd_emulator.faults.gate import Gate
from tpuherd_emulator.faults.injector import Injector
from tpuherd_emulator.metadata.pages import pages
from tpuherd_emulator.metadata.server import MetadataServer
from tpuherd_emulator.scenarios.playing import Player
from tpuherd_emulator.scheduler import Scheduler
from tpuherd_emulator.state_file import StateFile
from tpuherd_emulator.workers.fleet import Fleet

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.calls import Calls
    from tpuherd_emulator.options import EmulatorOptions
    from tpuherd_emulator.workers.fleet import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlane:
    """What the servers of a cloud answer from."""

    context: Context
    nodes: Nodes
    calls: Calls
    answers: Answers

    def stop(self) -> None:
        """Change nothing any more; calls that hang on purpose end."""
        self.context.injector.clear()
        self.context.scheduler.stop()


def build(site: Site, options: EmulatorOptions, public_key: str) -> ControlPlane:
    """Put everything together; nothing can be asked yet."""
    metadata = MetadataServer(site.metadata_port, lambda address: _pages_at(address, nodes))

    def changed() -> None:
        # Nobody asks where there are no processes, and a thousand listeners may be too many.
        metadata.follow(nodes.revision, nodes.addresses if site.has_processes else set)
        state_file.changed()
        player.look()

    context = _context(site, options, public_key, changed)
    nodes = Nodes(context)
    state_file = StateFile(site.layout.state, context.scheduler.lock, nodes)
    queued = QueuedResources(context, nodes)
    player = Player(context, nodes, queued, Striking(context, nodes, queued))
    gate = Gate(context.injector)
    calls = front(context, nodes, queued, answered=state_file.catch_up, gate=gate)
    return ControlPlane(context=context, nodes=nodes, calls=calls, answers=Answers(context, player))


def _context(site: Site, options: EmulatorOptions, public_key: str, changed: Callable[[], None]) -> Context:
    scheduler = Scheduler(Clock(MANUAL_SPEED if options.clock == "manual" else options.speed))
    return Context(
        options=options,
        scheduler=scheduler,
        places=Places(more=tuple(options.zones)),
        fleet=Fleet(site),
        operations=Operations(options.project, scheduler.clock),
        changed=changed,
        public_key=public_key,
        injector=Injector(options.seed),
    )


def _pages_at(address: str, nodes: Nodes) -> dict[str, str]:
    with nodes.context.scheduler.lock:
        found = nodes.at(address)
        return pages(*found, nodes.context.project) if found else {}
