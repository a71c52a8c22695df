"""Which URL is which method: Google's `google.api.http` rules of the TPU API, as a table.

The generated client has the same rules, but to import it takes longer than everything else that the daemon
imports; a test compares them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_ZONE = "projects/*/locations/*"


@dataclass(frozen=True, slots=True)
class Route:
    """One rule."""

    verb: str
    """HTTP method."""
    template: str
    """Path below the version; `{field=pattern}` is a value for a field of the request."""
    method: str
    """Name of the API's method."""
    body: str = ""
    """Field that the body is, `*` for the request itself; empty if there is none."""


ROUTES = (
    Route("POST", f"{{parent={_ZONE}}}/nodes", "CreateNode", "node"),
    Route("GET", f"{{name={_ZONE}/nodes/*}}", "GetNode"),
    Route("GET", f"{{parent={_ZONE}}}/nodes", "ListNodes"),
    Route("DELETE", f"{{name={_ZONE}/nodes/*}}", "DeleteNode"),
    Route("POST", f"{{name={_ZONE}/nodes/*}}:stop", "StopNode", "*"),
    Route("POST", f"{{name={_ZONE}/nodes/*}}:start", "StartNode", "*"),
    Route("PATCH", f"{{node.name={_ZONE}/nodes/*}}", "UpdateNode", "node"),
    Route("POST", f"{{name={_ZONE}/nodes/*}}:getGuestAttributes", "GetGuestAttributes", "*"),
    Route("POST", f"{{name={_ZONE}/nodes/*}}:simulateMaintenanceEvent", "SimulateMaintenanceEvent", "*"),
    Route("POST", f"{{name={_ZONE}/nodes/*}}:performMaintenance", "PerformMaintenance", "*"),
    Route("POST", f"{{parent={_ZONE}}}/queuedResources", "CreateQueuedResource", "queued_resource"),
    Route("GET", f"{{name={_ZONE}/queuedResources/*}}", "GetQueuedResource"),
    Route("GET", f"{{parent={_ZONE}}}/queuedResources", "ListQueuedResources"),
    Route("DELETE", f"{{name={_ZONE}/queuedResources/*}}", "DeleteQueuedResource"),
    Route("POST", f"{{name={_ZONE}/queuedResources/*}}:reset", "ResetQueuedResource", "*"),
    Route(
        "POST",
        f"{{name={_ZONE}/queuedResources/*}}:performMaintenanceQueuedResource",
        "PerformMaintenanceQueuedResource",
        "*",
    ),
    Route("GET", f"{{parent={_ZONE}}}/reservations", "ListReservations"),
    Route("GET", f"{{name={_ZONE}/acceleratorTypes/*}}", "GetAcceleratorType"),
    Route("GET", f"{{parent={_ZONE}}}/acceleratorTypes", "ListAcceleratorTypes"),
    Route("GET", f"{{name={_ZONE}/runtimeVersions/*}}", "GetRuntimeVersion"),
    Route("GET", f"{{parent={_ZONE}}}/runtimeVersions", "ListRuntimeVersions"),
    Route("POST", f"{{parent={_ZONE}}}:generateServiceIdentity", "GenerateServiceIdentity", "*"),
    Route("GET", f"{{name={_ZONE}/operations/*}}", "GetOperation"),
    Route("GET", f"{{name={_ZONE}}}/operations", "ListOperations"),
    Route("DELETE", f"{{name={_ZONE}/operations/*}}", "DeleteOperation"),
    Route("POST", f"{{name={_ZONE}/operations/*}}:cancel", "CancelOperation"),
    Route("GET", f"{{name={_ZONE}}}", "GetLocation"),
    Route("GET", "{name=projects/*}/locations", "ListLocations"),
)


@dataclass(frozen=True, slots=True)
class Match:
    """A route that fits a request."""

    route: Route
    field: str
    """The field of the request whose value is in the path, perhaps of a message in it: `node.name`."""
    value: str


def find(verb: str, path: str) -> Match | None:
    """Return the route of an HTTP method and a path below the version, unquoted; `None` if there is none."""
    for route in ROUTES:
        if route.verb == verb and (found := _pattern(route.template).fullmatch(path)):
            return Match(route, _field(route.template), found["value"])
    return None


def _field(template: str) -> str:
    return template[1:].partition("=")[0]


@cache
def _pattern(template: str) -> re.Pattern[str]:
    value, _, rest = template.partition("=")[2].partition("}")
    segments = re.escape(value).replace(r"\*", "[^/:]+")
    return re.compile(f"(?P<value>{segments}){re.escape(rest)}")
