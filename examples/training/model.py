"""A small network, its training data and one step of its training, spread over all devices of a JAX job."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

if TYPE_CHECKING:
    from jax import Array

FEATURES, WIDTH, BATCH = 32, 64, 128
RATE, MOMENTUM = 0.05, 0.9

State = dict[str, Any]
"""`step`, `weights` and `velocity`: all that the next step depends on, and so what a checkpoint holds."""


def mesh() -> Mesh:
    """All devices of all workers in one row."""
    return Mesh(np.array(jax.devices()), ("devices",))


def shardings(over: Mesh) -> State:
    """Where each part of the state is: the matrices are cut into as many pieces as there are devices."""
    rows = NamedSharding(over, PartitionSpec("devices"))
    weights = {"first": rows, "second": rows}
    return {"step": NamedSharding(over, PartitionSpec()), "weights": weights, "velocity": weights}


def begin() -> State:
    """The state before the first step; the same each time, because its numbers come from a fixed seed."""
    keys = jax.random.split(jax.random.key(0))
    weights = {
        "first": jax.random.normal(keys[0], (FEATURES, WIDTH)) * FEATURES**-0.5,
        "second": jax.random.normal(keys[1], (WIDTH, FEATURES)) * WIDTH**-0.5,
    }
    return {"step": jnp.int32(0), "weights": weights, "velocity": jax.tree.map(jnp.zeros_like, weights)}


def batch(step: Array) -> tuple[Array, Array]:
    """Inputs and targets of one step, each `[BATCH, FEATURES]`.

    They follow from the number of the step alone. A loader with a place of its own in the data would have to
    be saved and restored together with the weights.
    """
    inputs = jax.random.normal(jax.random.fold_in(jax.random.key(1), step), (BATCH, FEATURES))
    return inputs, jnp.sin(3 * inputs)


def loss(weights: State, inputs: Array, targets: Array) -> Array:
    """The mean squared error."""
    return jnp.mean((jnp.tanh(inputs @ weights["first"]) @ weights["second"] - targets) ** 2)


def train_step(state: State, over: Mesh) -> tuple[State, Array]:
    """The state one step later, and the loss on the way; each device computes its part of the batch."""
    spread = NamedSharding(over, PartitionSpec("devices"))
    inputs, targets = (jax.lax.with_sharding_constraint(part, spread) for part in batch(state["step"]))
    value, slopes = jax.value_and_grad(loss)(state["weights"], inputs, targets)
    velocity = jax.tree.map(lambda old, slope: MOMENTUM * old - RATE * slope, state["velocity"], slopes)
    weights = jax.tree.map(jnp.add, state["weights"], velocity)
    return {"step": state["step"] + 1, "weights": weights, "velocity": velocity}, value


def compiled(over: Mesh) -> tuple[Any, Any]:
    """`begin` and `train_step` for the devices of a mesh."""
    where, everywhere = shardings(over), NamedSharding(over, PartitionSpec())
    step = jax.jit(partial(train_step, over=over), out_shardings=(where, everywhere))
    return jax.jit(begin, out_shardings=where), step


def digest(state: State) -> str:
    """A fingerprint of every bit of the state; every worker has to take part."""
    whole = multihost_utils.process_allgather(state, tiled=True)
    found = hashlib.sha256()
    for leaf in jax.tree.leaves(whole):
        found.update(np.asarray(leaf).tobytes())
    return found.hexdigest()[:16]
