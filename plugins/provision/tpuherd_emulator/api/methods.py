"""The methods of the API: by which name, in which versions, answered by what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from google.cloud.location import locations_pb2
from google.longrunning import operations_pb2

from tpuherd_emulator.api.dialects import plain_class
from tpuherd_emulator.api.messages import INNER, VERSIONS
from tpuherd_emulator.api.once import Once

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.catalog import Catalog
    from tpuherd_emulator.api.maintenance import Maintenance
    from tpuherd_emulator.api.nodes import Nodes
    from tpuherd_emulator.api.operations import Operations
    from tpuherd_emulator.api.queued_resources import QueuedResources

TPU = "Tpu"
OPERATIONS = "google.longrunning.Operations"
LOCATIONS = "google.cloud.location.Locations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method of the API."""

    name: str
    """For example `CreateNode`; its request message has that name with `Request` at the end."""
    service: str
    """`TPU`, whose full name has the version in it, or one that all of Google's APIs have."""
    answer: Callable[[Any], Any]
    """Takes the request in the inner version and returns the reply in it, under the scheduler's lock."""
    versions: tuple[str, ...] = VERSIONS

    def request_class(self, version: str) -> Any:
        """Return the plain class of its request."""
        package = {OPERATIONS: operations_pb2, LOCATIONS: locations_pb2}.get(self.service)
        name = f"{self.name}Request"
        return plain_class(version, name) if package is None else getattr(package, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Who answers."""

    nodes: Nodes
    queued: QueuedResources
    catalog: Catalog
    maintenance: Maintenance
    operations: Operations


def methods(parts: Parts) -> dict[str, Method]:
    """Return all methods by name."""
    found = (*_tpu(parts), *_alpha(parts), *_common(parts))
    return {method.name: method for method in found}


def _tpu(parts: Parts) -> list[Method]:
    nodes, queued, catalog, once = parts.nodes, parts.queued, parts.catalog, Once()
    answers = {
        "CreateNode": once.of(nodes.create),
        "GetNode": nodes.get,
        "ListNodes": nodes.list,
        "DeleteNode": once.of(nodes.delete),
        "StopNode": nodes.stop,
        "StartNode": nodes.start,
        "UpdateNode": nodes.update,
        "GetGuestAttributes": nodes.get_guest_attributes,
        "CreateQueuedResource": once.of(queued.create),
        "GetQueuedResource": queued.get,
        "ListQueuedResources": queued.list,
        "DeleteQueuedResource": once.of(queued.delete),
        "ResetQueuedResource": queued.reset,
        "GetAcceleratorType": catalog.get_accelerator_type,
        "ListAcceleratorTypes": catalog.list_accelerator_types,
        "GetRuntimeVersion": catalog.get_runtime_version,
        "ListRuntimeVersions": catalog.list_runtime_versions,
        "GenerateServiceIdentity": catalog.generate_service_identity,
    }
    return [Method(name=name, service=TPU, answer=answer) for name, answer in answers.items()]


def _alpha(parts: Parts) -> list[Method]:
    answers = {
        "SimulateMaintenanceEvent": parts.maintenance.simulate,
        "PerformMaintenance": parts.maintenance.perform,
        "PerformMaintenanceQueuedResource": parts.maintenance.perform_queued,
        "ListReservations": parts.catalog.list_reservations,
    }
    return [
        Method(name=name, service=TPU, answer=answer, versions=(INNER,)) for name, answer in answers.items()
    ]


def _common(parts: Parts) -> list[Method]:
    operations, catalog = parts.operations, parts.catalog
    return [
        Method(name="GetOperation", service=OPERATIONS, answer=operations.get),
        Method(name="ListOperations", service=OPERATIONS, answer=operations.list),
        Method(name="DeleteOperation", service=OPERATIONS, answer=operations.delete),
        Method(name="CancelOperation", service=OPERATIONS, answer=operations.cancel),
        Method(name="GetLocation", service=LOCATIONS, answer=catalog.get_location),
        Method(name="ListLocations", service=LOCATIONS, answer=catalog.list_locations),
    ]
