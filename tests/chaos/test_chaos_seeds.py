"""Whole jobs against plans of faults; `scripts/chaos --first-seed N` plays one of them again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from chaotic.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

SEEDS = range(int(os.environ.get("TPUHERD_CHAOS_SEEDS", "100")))


@pytest.fixture(scope="session")  # each process of pytest-xdist plays some of the seeds, on a site of its own
def rounds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rounds]:
    made = Rounds(tmp_path_factory.mktemp("chaos"), at_a_time=1)
    yield made
    made.close()


@pytest.mark.slow(8)
@pytest.mark.timeout(600)  # more than `playing` allows
@pytest.mark.parametrize("seed", SEEDS)
def test_all_promises_are_kept(rounds: Rounds, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 10 == 0:
        monkeypatch.setenv("STARTS", "exec")  # all controllers are programs that import everything themselves
    told = rounds.ask(seed).result()
    assert not told.broken, str(told)
