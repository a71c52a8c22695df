"""What a worker's metadata server says, by path below `/computeMetadata/v1/`.

Attributes and their formats are those that JAX reads on Cloud TPU VMs (its `clusters/cloud_tpu_cluster.py`).
"""

from __future__ import annotations

import json

from tpuherd_emulator.api.node import MEGASCALE_PORT, Multislice, Node

NO_MAINTENANCE = json.dumps({"error": "no notifications have been received yet, try again later"})


def pages(node: Node, index: int, project: str) -> dict[str, str]:
    """Return all values of one worker.

    Args:
        node: The node that it belongs to.
        index: Its number in the node.
        project: The cloud's project.
    """
    plan = node.machines[index].plan
    account = f"emulated@{project}.iam.gserviceaccount.com"
    attributes = dict(node.message.metadata) | {
        "agent-worker-number": str(index),
        "worker-network-endpoints": ",".join(machine.plan.address for machine in node.machines),
        "tpu-env": tpu_env(node, index, project),
        "accelerator-type": node.accelerator.name,
        "instance-id": node.node_id,
    }
    return {
        **{f"instance/attributes/{name}": value for name, value in attributes.items()},
        "instance/id": f"{node.message.id}{index:03d}",
        "instance/name": plan.hostname,
        "instance/hostname": f"{plan.hostname}.{node.zone}.c.{project}.internal",
        "instance/zone": f"projects/{project}/zones/{node.zone}",
        "instance/preempted": "TRUE" if node.preempted else "FALSE",
        "instance/upcoming-maintenance": upcoming_maintenance(node),
        "instance/network-interfaces/0/ip": plan.address,
        "instance/service-accounts/default/email": account,
        "instance/service-accounts/default/scopes": "https://www.googleapis.com/auth/cloud-platform",
        "instance/service-accounts/default/aliases": "default",
        "instance/service-accounts/default/token": TOKEN,
        "project/project-id": project,
        "project/numeric-project-id": "1",
    }


def upcoming_maintenance(node: Node) -> str:
    """Return what is known of maintenance, as JSON with the API's names in camel case."""
    if "upcoming_maintenance" not in node.message:
        return NO_MAINTENANCE
    window = node.message.upcoming_maintenance
    return json.dumps(
        {
            "canReschedule": window.can_reschedule,
            "latestWindowStartTime": window.latest_window_start_time,
            "maintenanceStatus": type(window).MaintenanceStatus(window.maintenance_status).name,
            "type": type(window).MaintenanceType(window.type_).name,
            "windowEndTime": window.window_end_time,
            "windowStartTime": window.window_start_time,
        }
    )


TOKEN = json.dumps({"access_token": "emulated", "expires_in": 3599, "token_type": "Bearer"})
"""No secret: it opens nothing. Google's libraries only want to see one."""


def tpu_env(node: Node, index: int, project: str) -> str:
    """Return the attribute `tpu-env`: lines of `KEY: 'value'`."""
    values = {
        "ACCELERATOR_TYPE": node.accelerator.name,
        "CONSUMER_PROJECT_ID": project,
        "NODE_ID": node.node_id,
        "RUNTIME_VERSION": str(node.message.runtime_version),
        "TOPOLOGY": node.accelerator.topology,
        "WORKER_ID": str(index),
        "ZONE": node.zone,
        **(megascale(node.multislice) if node.multislice else {}),
    }
    return "".join(f"{key}: '{value}'\n" for key, value in sorted(values.items()))


def megascale(place: Multislice) -> dict[str, str]:
    """Return what tells a slice its place in a multislice."""
    return {
        "MEGASCALE_COORDINATOR_ADDRESS": f"{place.coordinator}:{MEGASCALE_PORT}",
        "MEGASCALE_NUM_SLICES": str(place.count),
        "MEGASCALE_PORT": str(MEGASCALE_PORT),
        "MEGASCALE_SLICE_ID": str(place.index),
    }
