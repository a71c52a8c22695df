"""Which machines a job may have, in the order in which they are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigError
from tpuherd.config.choices import nearest
from tpuherd.fleet.patterns import fits_any, parse_all
from tpuherd.store.aliases import resolve_alias
from tpuherd_inventory import listed, nodes
from tpuherd_inventory.config import InventorySection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Job
    from tpuherd.store.aliases import MachineName
    from tpuherd.store.store import Store
    from tpuherd_inventory.machine import Machine


def find(job: Job, store: Store) -> list[Machine]:
    """The machines that fit the job file; a machine that is named comes alone.

    Raises:
        ConfigError: the file of machines is wrong, or has none of that name.
        ProvisionError: the TPU API did not answer.
    """
    section = job.spec.section(InventorySection)
    if section.chosen in {"tpu", "alias"}:
        return _named(job, store, _meant(section, store))
    found = _all(job, store, section)
    return [machine for machine in found if _fits(job, machine, section)]


def zones(job: Job) -> tuple[str, ...]:
    """The zones of this attempt."""
    return (job.attempt.zone,) if job.attempt.zone else job.spec.tpu.zones


def _meant(section: InventorySection, store: Store) -> MachineName:
    word = section.tpu or section.alias or ""
    if section.alias and store.aliases.get(word) is None:
        known = (alias.alias for alias in store.aliases.all())
        raise ConfigError(f"inventory.alias: there is no alias {word!r}; {nearest(word, known)}")
    return resolve_alias(store, word)


def _named(job: Job, store: Store, known_as: MachineName) -> list[Machine]:
    section = job.spec.section(InventorySection)
    if section.file is None:
        found = nodes.named(job.cloud, store, known_as, zones(job))
        where = known_as.zone or ", ".join(zones(job))
        return _require(found, f"there is no TPU {known_as.name} in {where}: `tpuherd tpus` shows all")
    path = job.base_directory / section.file.expanduser()
    everything = listed.machines_of(path, zones(job)[0])
    found = [
        m for m in everything if m.known_as.name == known_as.name and known_as.zone in {"", m.known_as.zone}
    ]
    known = nearest(known_as.name, (machine.known_as.name for machine in everything))
    return _require(found, f"{path}: there is no {known_as}; {known}")


def _require(found: list[Machine], otherwise: str) -> list[Machine]:
    if not found:
        raise ConfigError(otherwise)
    return found


def _all(job: Job, store: Store, section: InventorySection) -> list[Machine]:
    if section.file is None:
        return nodes.all_in(job.cloud, store, zones(job))
    path = job.base_directory / section.file.expanduser()
    return [m for m in listed.machines_of(path, zones(job)[0]) if m.zone in zones(job)]


def _fits(job: Job, machine: Machine, section: InventorySection) -> bool:
    """By the patterns, if there are any, else by the job's own types."""
    patterns: Sequence[str] = section.patterns
    if patterns:
        return fits_any(parse_all(patterns), machine.known_as.name, machine.accelerator)
    return machine.accelerator in job.spec.tpu.accelerators
