"""One node: what the API says about it, and its workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api.catalog import accelerator_of, check_runtime_version, config_type
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.names import zone_of
from tpuherd_emulator.faults.fault import Subject
from tpuherd_emulator.faults.limits import Need, Pool

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.accelerators import Accelerator
    from tpuherd_emulator.workers.machine import Machine

RUNTIME_PORT = 8470
"""The port that the API reports for every network endpoint."""

MEGASCALE_PORT = 8081


@dataclass(frozen=True, slots=True, kw_only=True)
class Multislice:
    """The place of a node among the nodes of its multislice."""

    index: int
    count: int
    coordinator: str
    """Address of worker 0 of slice 0."""


@dataclass(slots=True, kw_only=True)
class Node:
    """A node that exists, in whatever state. `message` is the state itself, as the API shows it."""

    message: Any
    machines: tuple[Machine, ...]
    accelerator: Accelerator
    multislice: Multislice | None = None
    preempted: bool = False
    """What the metadata servers of its workers say: true from the notice on, while the state is as before."""
    held: Callable[[], None] | None = None
    """Ends a transition that is stuck."""

    @property
    def name(self) -> str:
        """`projects/P/locations/Z/nodes/N`."""
        return str(self.message.name)

    @property
    def node_id(self) -> str:
        """The last part of its name."""
        return self.name.rpartition("/")[2]

    @property
    def zone(self) -> str:
        """The zone in its name."""
        return zone_of(self.name)

    @property
    def state(self) -> str:
        """The name of its state, for example `READY`."""
        return str(messages.Node.State(self.message.state).name)

    @property
    def subject(self) -> Subject:
        """What faults look at."""
        return Subject(zone=self.zone, accelerator=self.accelerator.name, name=self.node_id)

    @property
    def need(self) -> Need:
        """The chips that it takes."""
        return need(self.zone, self.accelerator, market_of(self.message.scheduling_config))

    def become(self, state: str) -> None:
        """Change to another state; only a READY node reports to be healthy."""
        self.message.state = messages.Node.State[state]
        healthy = "HEALTHY" if state == "READY" else "HEALTH_UNSPECIFIED"
        self.message.health = messages.Node.Health[healthy]

    def authorize(self, own_key: str) -> None:
        """Let in who has the cloud's own key, or one of the node's metadata item `ssh-keys`."""
        for machine in self.machines:
            machine.authorize([own_key, *metadata_keys(self.message.metadata.get("ssh-keys", ""))])


def market_of(scheduling: Any) -> str:
    """The market that a `SchedulingConfig` asks for: spot and preemptible are one."""
    if scheduling.spot or scheduling.preemptible:
        return "spot"
    return "reserved" if scheduling.reserved else "on-demand"


def need(zone: str, accelerator: Accelerator, market: str, nodes: int = 1) -> Need:
    """The chips of so many nodes."""
    pool = Pool(place=zone, generation=accelerator.generation, market=market)
    return Need(pool=pool, chips=nodes * accelerator.chips)


def metadata_keys(text: str) -> list[str]:
    """Return the keys of a metadata item `ssh-keys`, whose lines are `USER:KEY`.

    All of them may log in as the one user that there is: the emulator makes no accounts.
    """
    lines = (line.strip() for line in text.splitlines())
    keys = (line.partition(":")[2].strip() for line in lines if ":" in line)
    return [key for key in keys if key]


def check(requested: Any) -> Accelerator:
    """Return the accelerator of a node that is asked for.

    Raises:
        ApiError: Its accelerator type or its runtime version does not exist.
    """
    accelerator = accelerator_of(requested)
    check_runtime_version(requested.runtime_version)
    return accelerator


def describe(
    name: str, requested: Any, number: int, accelerator: Accelerator, machines: tuple[Machine, ...]
) -> Any:
    """Return the API's message about a new node, with everything that the server fills in but its time."""
    message = messages.Node()
    type(message).copy_from(message, requested)
    message.name = name
    message.id = number
    message.state = messages.Node.State.CREATING
    message.api_version = messages.Node.ApiVersion.V2_ALPHA1  # `v2` clients read V2
    message.accelerator_type = accelerator.name
    message.accelerator_config = messages.AcceleratorConfig(
        type_=config_type(accelerator), topology=accelerator.topology
    )
    message.cidr_block = requested.cidr_block or f"{machines[0].plan.address}/32"
    message.network_endpoints = [endpoint(machine, requested) for machine in machines]
    return message


def endpoint(machine: Machine, requested: Any) -> Any:
    """One worker's address; the external one is the same.

    Without a `network_config` the node gets external addresses; the documentation does not say what the real
    API does then.
    """
    endpoint = messages.NetworkEndpoint(ip_address=machine.plan.address, port=RUNTIME_PORT)
    if "network_config" not in requested or requested.network_config.enable_external_ips:
        endpoint.access_config = messages.AccessConfig(external_ip=machine.plan.address)
    return endpoint
