"""What the cloud offers: accelerator types, runtime versions and locations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.cloud.location import locations_pb2

from tpuherd import accelerators
from tpuherd.errors import ConfigError
from tpuherd_emulator.api import errors, names
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.paging import page

if TYPE_CHECKING:
    from tpuherd.accelerators import Accelerator

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

    def __init__(self, project: str) -> None:
        self._project = project

    def get_accelerator_type(self, request: Any) -> Any:
        """`GetAcceleratorType`."""
        kind = names.resource(request.name, "acceleratorTypes", self._project)
        if kind not in _offered():
            raise errors.not_found(request.name)
        return _accelerator_type(request.name.partition("/acceleratorTypes/")[0], kind)

    def list_accelerator_types(self, request: Any) -> Any:
        """`ListAcceleratorTypes`: every zone has them all."""
        parent = str(names.location(request.parent, self._project))
        shown, token = page(_offered(), request.page_size, request.page_token)
        kinds = [_accelerator_type(parent, kind) for kind in shown]
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
        """`GetLocation`: everything that looks like a zone is one."""
        location = names.location(request.name, self._project)
        return locations_pb2.Location(name=str(location), location_id=location.zone)


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


def _by_topology(config: Any) -> str:
    generation = _PREFIXES.get(messages.AcceleratorConfig.Type(config.type_).name)
    for name in accelerators.names():
        accelerator = accelerators.resolve(name)
        if (accelerator.generation, accelerator.topology) == (generation, config.topology):
            return name
    return str(config.topology)


def _offered() -> list[str]:
    return [name for name in accelerators.names() if not accelerators.resolve(name).gke_only]


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
