"""gcloud's flags, which jobman's files pass on, and the key that there is for each."""

from __future__ import annotations

INSTEAD = {
    "--network": "tpu.network",
    "--subnetwork": "tpu.subnetwork",
    "--internal-ips": "tpu.external_ips: false",
    "--service-account": "tpu.service_account",
    "--scopes": "tpu.scopes",
    "--tags": "tpu.tags",
    "--labels": "tpu.labels",
    "--metadata": "tpu.metadata",
    "--metadata-from-file": "tpu.startup_script",
    "--data-disk": "tpu.data_disks",
    "--spot": "tpu.pricing: spot",
    "--best-effort": "tpu.pricing: spot",
    "--preemptible": "tpu.pricing: preemptible",
    "--reserved": "tpu.reserved: true",
    "--reservation": "tpu.reservation",
    "--valid-until-duration": "tpu.valid_until",
    "--valid-until-time": "tpu.valid_until",
    "--version": "tpu.version",
    "--runtime-version": "tpu.version",
    "--accelerator-type": "tpu.accelerator",
    "--zone": "tpu.zone",
    "--project": "tpu.project",
    "--node-count": "tpu.slices",
    "--node-id": "tpu.name",
}
"""Flag to the key, with the value where it is always the same."""


def instead_of(flag: str) -> str:
    """Say which key to write instead of a flag such as `--network=x`."""
    name = flag.partition("=")[0]
    key = INSTEAD.get(name)
    return f"instead of {name} write {key}" if key else f"there is no key for {name!r}, leave it out"
