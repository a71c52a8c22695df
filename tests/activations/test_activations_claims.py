"""Claims on parts, in a folder and in a bucket."""

from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from clouded import eventually

from tpuherd_activations.worker.claims import Claims, Holder
from tpuherd_activations.worker.claims.claims import Claim
from tpuherd_activations.worker.errors import ClaimLostError
from tpuherd_activations.worker.places import open_place
from tpuherd_activations.worker.work.pipeline import Pipeline


@pytest.fixture(params=["folder", "bucket"])
def place(request, tmp_path, bucket):
    return open_place(f"{bucket}/claims" if request.param == "bucket" else str(tmp_path / "claims"))


def claims(place, worker, lease_s=30.0, attempt=1, job=""):
    holder = Holder(job=job, worker=worker, attempt=attempt)
    return contextlib.closing(Claims(place, "claims", holder, lease_s))


def test_one_of_many_gets_a_claim(place):
    with contextlib.ExitStack() as stack:
        helpers = [stack.enter_context(claims(place, f"w{index}")) for index in range(4)]
        start = threading.Barrier(4)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda one: (start.wait(20), one.take("part"))[1], helpers))
    assert sum(claim is not None for claim in found) == 1


def test_a_claim_is_free_when_it_is_given_back(place):
    with claims(place, "w0") as first:
        assert first.take("part")
        with claims(place, "w1") as second:
            assert second.take("part") is None
    with claims(place, "w1") as second:
        assert second.take("part")


def test_a_silent_holder_loses_its_claim(place):
    with claims(place, "w0", lease_s=0.3) as first, claims(place, "w1", lease_s=0.3) as second:
        claim = first.take("part")
        first._stop.set()  # it hangs
        eventually(lambda: second.take("part"), 60)
        with pytest.raises(ClaimLostError, match="part: another worker has it"):
            claim.check()


@pytest.mark.slow
def test_a_renewed_claim_is_kept(place):
    with claims(place, "w0", lease_s=2) as first, claims(place, "w1", lease_s=2) as second:
        claim = first.take("part")
        versions = {claim.version}
        while len(versions) < 6:  # for longer than a lease
            assert second.take("part") is None
            versions.add(claim.version)
            time.sleep(0.02)
        claim.check()


def test_what_an_earlier_attempt_held_is_free_at_once(place):
    with claims(place, "w0", job="a-job") as first:
        assert first.take("part")
        with claims(place, "w1", job="other", attempt=2) as second:
            assert second.take("part") is None
        with claims(place, "w1", job="a-job", attempt=2) as third:
            assert third.take("part")


class Late(Claim):
    """One whose renewal came too late: it was over for a moment."""

    looks = 0

    @property
    def held(self) -> bool:
        self.looks += 1
        return self.looks > 1


def test_a_part_whose_claim_was_over_for_a_moment_is_given_up_and_claimed_again(place):
    with claims(place, "w0", lease_s=0.3) as ours:
        claim = ours.take("part")
        work = SimpleNamespace(
            claim=Late("part", claim.version, 0.3),
            shard=SimpleNamespace(part=SimpleNamespace(index=0)),
            scratch="none",
        )
        written = Future()
        written.set_result(None)
        Pipeline(place, ours, dict, list)._commit(work, written)
        eventually(lambda: ours.take("part"), 60)
