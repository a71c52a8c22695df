"""Whole jobs against plans of faults; `scripts/chaos --first-seed N` plays one of them again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from chaotic.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from chaotic.rounds import Told

pytestmark = pytest.mark.slow

SEEDS = range(int(os.environ.get("TPUHERD_CHAOS_SEEDS", "40")))
AT_A_TIME = 6


class Asked:
    """The seeds of this run: all are asked for at once, and one that is wanted again is played again."""

    def __init__(self, rounds: Rounds, seeds: list[int]) -> None:
        self._rounds = rounds
        self._asked: dict[int, Future[Told]] = {seed: rounds.ask(seed) for seed in seeds}

    def take(self, seed: int) -> Told:
        """What came of it."""
        asked = self._asked.pop(seed, None) or self._rounds.ask(seed)
        return asked.result()


@pytest.fixture(scope="module")
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    chosen = [item.callspec.params["seed"] for item in request.session.items if item.path == request.path]
    rounds = Rounds(tmp_path_factory.mktemp("chaos"), AT_A_TIME)
    yield Asked(rounds, chosen)
    rounds.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_all_promises_are_kept(asked: Asked, seed: int) -> None:
    told = asked.take(seed)
    assert not told.broken, str(told)
