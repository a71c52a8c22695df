"""What the cloud offers: accelerator types, runtime versions and locations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.cloud.location import locations_pb2

from tpuherd import accelerators
from tpuherd.errors import ConfigError
from tpuherd_emulator.api import errors, names
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.paging import page
from tpuherd_emulator.api.reservations import reservations

if TYPE_CHECKING:
    from tpuherd.accelerators import Accelerator
    from tpuherd_emulator.api.context import Context

PROJECT_NUMBER = 1
"""The number of the only project."""

RUNTIME_VERSIONS = (
    "tpu-ubuntu2204-base",
    "tpu-vm-base",
    "v2-alpha-tpuv5",
    "v2-alpha-tpuv5-lite",
    "v2-alpha-tpuv6e",
)
"""The runtime versions for JAX; the real list has many more, and differs between zones."""

_PREFIXES = {"V2": "v2", "V3": "v3", "V4": "v4", "V5LITE_POD": "v5e", "V5P": "v5p", "V6E": "v6e"}
"""`AcceleratorConfig.Type` to generation."""


class Catalog:
    """The methods about what can be had."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._project = context.project

    def get_accelerator_type(self, request: Any) -> Any:
        """`GetAcceleratorType`."""
        kind = names.resource(request.name, "acceleratorTypes", self._project)
        if kind not in self._offered(names.zone_of(request.name)):
            raise errors.not_found(request.name)
        return _accelerator_type(request.name.partition("/acceleratorTypes/")[0], kind)

    def list_accelerator_types(self, request: Any) -> Any:
        """`ListAcceleratorTypes`: those that the zone sells."""
        parent = names.location(request.parent, self._project)
        shown, token = page(self._offered(parent.zone), request.page_size, request.page_token)
        kinds = [_accelerator_type(str(parent), kind) for kind in shown]
        return messages.ListAcceleratorTypesResponse(accelerator_types=kinds, next_page_token=token)

    def get_runtime_version(self, request: Any) -> Any:
        """`GetRuntimeVersion`."""
        version = names.resource(request.name, "runtimeVersions", self._project)
        if version not in RUNTIME_VERSIONS:
            raise errors.not_found(request.name)
        return messages.RuntimeVersion(name=request.name, version=version)

    def list_runtime_versions(self, request: Any) -> Any:
        """`ListRuntimeVersions`."""
        parent = names.location(request.parent, self._project)
        shown, token = page(RUNTIME_VERSIONS, request.page_size, request.page_token)
        versions = [
            messages.RuntimeVersion(name=f"{parent}/runtimeVersions/{version}", version=version)
            for version in shown
        ]
        return messages.ListRuntimeVersionsResponse(runtime_versions=versions, next_page_token=token)

    def get_location(self, request: Any) -> Any:
        """`GetLocation`."""
        return _location(names.location(request.name, self._project))

    def list_locations(self, request: Any) -> Any:
        """`ListLocations`: the zones that are known to have TPUs."""
        if request.name != f"projects/{self._project}":
            raise errors.permission_denied("tpu.locations.list", request.name)
        zones = [names.Location(self._project, zone) for zone in self._context.places.zones()]
        shown, token = page(zones, request.page_size, request.page_token)
        return locations_pb2.ListLocationsResponse(locations=map(_location, shown), next_page_token=token)

    def generate_service_identity(self, request: Any) -> Any:
        """`GenerateServiceIdentity`: the account under which the TPU service acts in the project."""
        names.location(request.parent, self._project)
        email = f"service-{PROJECT_NUMBER}@cloud-tpu.iam.gserviceaccount.com"
        return messages.GenerateServiceIdentityResponse(identity=messages.ServiceIdentity(email=email))

    def list_reservations(self, request: Any) -> Any:
        """`ListReservations`: those that the cloud was told of."""
        place = names.location(request.parent, self._project, any_zone=True)
        found = [reservation for reservation in reservations(self._context) if place.covers(reservation.name)]
        shown, token = page(found, request.page_size, request.page_token)
        return messages.ListReservationsResponse(reservations=shown, next_page_token=token)

    def _offered(self, zone: str) -> list[str]:
        every = (accelerators.resolve(name) for name in accelerators.names())
        places = self._context.places
        return [found.name for found in every if not found.gke_only and places.offers(zone, found)]


def accelerator_of(node: Any) -> Accelerator:
    """Return the accelerator that a node of the API asks for, by its name or by type and topology.

    Raises:
        ApiError: There is no such type, or only GKE has it.
    """
    kind = node.accelerator_type or _by_topology(node.accelerator_config)
    try:
        accelerator = accelerators.resolve(kind)
    except ConfigError as error:
        raise errors.invalid(f"Invalid accelerator type '{kind}': {error}") from error
    if accelerator.gke_only or accelerator.name != kind:  # the aliases of tpuherd are not known to the API
        raise errors.invalid(f"Invalid accelerator type '{kind}': the TPU API does not serve it")
    return accelerator


def check_runtime_version(version: str) -> None:
    """Refuse a runtime version that is not offered.

    Raises:
        ApiError: It is unknown.
    """
    if version not in RUNTIME_VERSIONS:
        raise errors.invalid(f"Invalid runtime version '{version}'; known are: {', '.join(RUNTIME_VERSIONS)}")


def _location(place: names.Location) -> Any:
    return locations_pb2.Location(name=str(place), location_id=place.zone)


def _by_topology(config: Any) -> str:
    generation = _PREFIXES.get(messages.AcceleratorConfig.Type(config.type_).name)
    for name in accelerators.names():
        accelerator = accelerators.resolve(name)
        if (accelerator.generation, accelerator.topology) == (generation, config.topology):
            return name
    return str(config.topology)


def _accelerator_type(parent: str, kind: str) -> Any:
    accelerator = accelerators.resolve(kind)
    config = messages.AcceleratorConfig(type_=config_type(accelerator), topology=accelerator.topology)
    return messages.AcceleratorType(
        name=f"{parent}/acceleratorTypes/{kind}", type_=kind, accelerator_configs=[config]
    )


def config_type(accelerator: Accelerator) -> Any:
    """Return the `AcceleratorConfig.Type` of an accelerator."""
    name = next(name for name, generation in _PREFIXES.items() if generation == accelerator.generation)
    return messages.AcceleratorConfig.Type[name]
