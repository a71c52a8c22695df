"""From a number to a plan: pure, so that a seed can be played again."""

from __future__ import annotations

from random import Random

from chaotic.kinds import DRAW, FAULTS, OF_A_RUNNING_JOB, OURS
from chaotic.values import Deed, Plan, Shape

KINDS_OF_TPU = (("v5litepod-8", 1), ("v5litepod-8", 1), ("v4-16", 2), ("v4-16", 2), ("v5litepod-16", 4))
V5E_ZONES = ("us-west4-a", "us-central1-a", "us-east1-c", "us-south1-a")
MOST_DEEDS = 5
QUEUE = "queued-resources"
SHARE_OF_FAULTS = 0.6


def plan_of(seed: int) -> Plan:
    """The plan that a seed stands for; the same one always.

    The first deed of seed n is the n-th kind, round and round: a run of a hundred seeds meets every kind.
    """
    random = Random(seed)
    kinds = [_kind_of_number(seed), *(_kind(random) for _ in range(random.randint(0, MOST_DEEDS - 1)))]
    random.shuffle(kinds)
    shape = _shape(random, kinds)
    deeds = sorted((_deed(random, kind, shape) for kind in kinds), key=lambda deed: deed.at_step)
    return Plan(seed=seed, shape=shape, deeds=tuple(deeds))


def _kind_of_number(seed: int) -> str:
    return list(DRAW)[seed % len(DRAW)]


def _kind(random: Random) -> str:
    """Cancelling is rare: a job that is cancelled shows little of what comes after."""
    table = FAULTS if random.random() < SHARE_OF_FAULTS else OURS
    kind = random.choice(list(table))
    return kind if kind != "cancel" or random.random() < 0.2 else "kill-controller"


def _shape(random: Random, kinds: list[str]) -> Shape:
    accelerator, workers = random.choice(KINDS_OF_TPU)
    queue = "suspended-queue" in kinds or random.random() < 0.25
    steps = random.randint(40, 60) if "usurper" in kinds else random.randint(10, 30)
    return Shape(
        mode=QUEUE if queue else "tpu-vm",
        accelerator=accelerator,
        workers=workers,
        zones=_zones(random, accelerator),
        policy=random.choice(("tiered", "tiered", "tiered", "failover", "rules")),
        steps=steps,
        step_s=round(random.uniform(0.05, 0.2), 2),
        save_every=random.randint(1, 5),
        heeds_term=random.random() < 0.7,
        fails_at=random.randint(1, steps) if random.random() < 0.1 else 0,
    )


def _zones(random: Random, accelerator: str) -> tuple[str, ...]:
    if accelerator.startswith("v4"):
        return ("us-central2-b",)
    return tuple(random.sample(V5E_ZONES, random.choice((1, 1, 2))))


def _deed(random: Random, kind: str, shape: Shape) -> Deed:
    settings, lasts_s = DRAW[kind](random)
    early = random.random() < 0.3 and kind not in OF_A_RUNNING_JOB
    return Deed(
        kind=kind,
        at_step=0 if early else random.randint(1, shape.steps - 1),
        after_s=round(random.uniform(0, 2.5 if early else 0.6), 2),
        lasts_s=lasts_s,
        settings=settings,
    )
