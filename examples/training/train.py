"""A training run that may be taken away at any moment, and goes on where it was.

One process on each worker; `tpuherd run examples/resumable_training.yaml` starts them. Whatever ends a
process, the next one begins with the newest checkpoint. There is no other state: an attempt that resumes and
the first one are the same program with the same arguments.

    python train.py --checkpoints DIRECTORY [--steps 200] [--save-every 20] [--step-s 0.1]
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import jax
import model
from checkpoints import Checkpoints, report

if TYPE_CHECKING:
    from model import State


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a small network.")
    parser.add_argument("--checkpoints", required=True, help="folder or gs:// address that all workers see")
    parser.add_argument("--steps", type=int, default=200, help="how many steps there are")
    parser.add_argument("--save-every", type=int, default=20, help="steps between two checkpoints")
    parser.add_argument("--step-s", type=float, default=0.0, help="least time of a step, to watch it")
    return parser.parse_args()


def first_state(checkpoints: Checkpoints, begin: Any, over: Any) -> State:
    """That of the newest checkpoint if there is one."""
    if checkpoints.newest is None:
        print("begin at step 0", flush=True)
        return begin()
    like = jax.tree.map(
        lambda leaf, where: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=where),
        jax.eval_shape(begin),
        model.shardings(over),
    )
    print(f"restored step {checkpoints.newest}", flush=True)
    return checkpoints.restore(like)


def train(asked: argparse.Namespace) -> bool:
    """Train to the last step; false if this process was told to end before."""
    over = model.mesh()
    begin, step_once = model.compiled(over)
    checkpoints = Checkpoints(asked.checkpoints, asked.save_every)
    state = first_state(checkpoints, begin, over)
    step, told = int(state["step"]), False
    while step < asked.steps and not told:
        began = time.monotonic()
        state, loss = step_once(state)
        step += 1
        print(f"step {step} of {asked.steps}: loss {float(loss):.6f} {float(loss).hex()}", flush=True)
        checkpoints.save(step, state, last=step == asked.steps)
        told = checkpoints.is_told_to_end(step)
        report(step, asked.steps, checkpoints.newest)
        time.sleep(max(0.0, began + asked.step_s - time.monotonic()))
    checkpoints.finish()
    report(step, asked.steps, checkpoints.newest)
    print(f"told to end after step {step}" if told else f"all weights: {model.digest(state)}", flush=True)
    return not told


def main() -> int:
    """The exit code: a run that was told to end has not succeeded."""
    jax.distributed.initialize()  # finds the other workers, and from now on hears of SIGTERM for all of them
    done = train(options())
    jax.distributed.shutdown()
    return 0 if done else 128 + signal.SIGTERM


if __name__ == "__main__":
    sys.exit(main())
