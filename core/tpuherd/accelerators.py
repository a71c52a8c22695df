"""Accelerator types: how many chips, workers and cores a name stands for.

The number in a name counts TensorCores for v2, v3, v4, v5p and tpu7x, and chips for v5e and v6e. Workers are
TPU VMs, one per entry of `networkEndpoints` of the API's node.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache

from tpuherd.config.choices import closest, listed, nearest
from tpuherd.errors import ConfigError
from tpuherd.generations import GENERATIONS, Generation

CHIPS_PER_WORKER = 4
"""Chips of every TPU VM of a slice with more than one VM."""

LONGEST_SIDE = 61
"""Cubes in the longest side of a slice: xpk lists 4x4x244, and nothing longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One accelerator type of one slice."""

    name: str
    """The API's name, for example `v5litepod-16`."""
    generation: str
    """`v2`, `v3`, `v4`, `v5e`, `v5p`, `v6e` or `tpu7x`."""
    chips: int
    workers: int
    """TPU VMs, which the documentation of v5e and v6e does not always mean by *hosts*."""
    chips_per_worker: int
    topology: str
    """The default shape, for example `4x4` or `2x2x4`."""
    runtime_version: str
    """The default runtime version; empty if the TPU API does not serve this type."""
    hbm_gib_per_chip: int
    cores_per_chip: int
    gke_only: bool
    """True if only GKE sells it: the TPU API answers with an error."""


def resolve(name: str) -> Accelerator:
    """Return what an accelerator type stands for.

    Args:
        name: For example `v4-32`, `v5litepod-16`, or `v5e-16` for the same.

    Raises:
        ConfigError: There is no such type; the message names the nearest that exist.
    """
    match = re.fullmatch(r"([a-z]\w*)-([1-9]\d*|0)", name)
    if not match:
        raise ConfigError(f"accelerator {name!r} is not of the form TYPE-SIZE; {_guess(name)}")
    generation = _generation(match[1], name)
    sizes = _sizes(generation)
    if int(match[2]) not in sizes:
        raise ConfigError(f"accelerator {name!r} does not exist; {_around(generation, int(match[2]))}")
    return sizes[int(match[2])]


def names() -> tuple[str, ...]:
    """Return every accelerator type that exists, by generation and size."""
    return tuple(
        accelerator.name for generation in GENERATIONS for accelerator in _sizes(generation).values()
    )


def _generation(prefix: str, name: str) -> Generation:
    for generation in GENERATIONS:
        if prefix in {generation.prefix, generation.alias}:
            return generation
    raise ConfigError(f"accelerator {name!r} does not exist; {_guess(name)}")


def _guess(name: str) -> str:
    """Suggest a whole name if one is near, and the prefixes otherwise."""
    close = closest(name, names())
    if close:
        return f"did you mean {close!r}?"
    prefixes = [f"{generation.prefix}-N" for generation in GENERATIONS]
    return nearest(name, prefixes)


def _around(generation: Generation, size: int) -> str:
    sizes = sorted(_sizes(generation))
    below = [known for known in sizes if known < size][-1:]
    above = [known for known in sizes if known > size][:1]
    near = " and ".join(f"{generation.prefix}-{known}" for known in below + above)
    return f"nearest: {near}; valid sizes of {generation.name}: {listed(str(known) for known in sizes)}"


@cache
def _sizes(generation: Generation) -> dict[int, Accelerator]:
    """Every accelerator of a generation by the number in its name, smallest first."""
    topologies = (*generation.topologies, *_cubes(generation.largest_cubes))
    made = (_accelerator(generation, topology) for topology in topologies)
    return {int(accelerator.name.rpartition("-")[2]): accelerator for accelerator in made}


def _accelerator(generation: Generation, topology: str) -> Accelerator:
    chips = _product(topology)
    size = chips * generation.cores_per_chip if generation.name_counts_cores else chips
    workers = _workers(generation, chips)
    return Accelerator(
        name=f"{generation.prefix}-{size}",
        generation=generation.name,
        chips=chips,
        workers=workers,
        chips_per_worker=chips // workers,
        topology=topology,
        runtime_version=generation.runtime_version,
        hbm_gib_per_chip=generation.hbm_gib_per_chip,
        cores_per_chip=generation.cores_per_chip,
        gke_only=generation.gke_only,
    )


def _workers(generation: Generation, chips: int) -> int:
    """TPU VMs of a slice: v5e and v6e have a VM of eight chips, all others at most four chips per VM."""
    largest_single = 8 if not generation.name_counts_cores else CHIPS_PER_WORKER
    return 1 if chips <= largest_single else chips // CHIPS_PER_WORKER


def _product(topology: str) -> int:
    return math.prod(int(side) for side in topology.split("x"))


def _cubes(largest: int) -> list[str]:
    """The default shape of every number of 4x4x4 cubes that can be put together."""
    shapes = (_most_cubic(count) for count in range(1, largest + 1))
    return ["x".join(str(4 * side) for side in shape) for shape in shapes if shape[2] <= LONGEST_SIDE]


def _most_cubic(count: int) -> tuple[int, int, int]:
    """The sides, shortest first, of the block of `count` cubes that is most like a cube."""
    pairs = ((a, b) for a in _divisors(count) for b in _divisors(count // a))
    blocks = ((a, b, count // (a * b)) for a, b in pairs)
    return min((block for block in blocks if block[0] <= block[1] <= block[2]), key=sum)


def _divisors(number: int) -> list[int]:
    return [candidate for candidate in range(1, number + 1) if number % candidate == 0]
