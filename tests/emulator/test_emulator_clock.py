from __future__ import annotations

import threading
import time
from concurrent.futures import Future

import pytest
from driven import driving

from tpuherd.errors import ConfigError
from tpuherd_emulator.clock import Clock
from tpuherd_emulator.scheduler import Scheduler


@pytest.fixture
def still():
    scheduler = Scheduler(Clock(speed=0))
    yield scheduler
    scheduler.stop()


def test_a_clock_that_stands_still_moves_by_ticks_only(still):
    seen = []
    still.after(30, lambda: seen.append(still.clock.now()))
    still.after(10, lambda: seen.append(still.clock.now()))
    time.sleep(0.1)
    assert seen == []
    still.tick(29.5)
    assert seen == [10]
    still.tick(0.5)
    assert seen == [10, 30]
    assert still.clock.now() == 30


def test_a_tick_does_what_follows_from_what_it_does(still):
    seen = []

    def again():
        seen.append(still.clock.now())
        still.after(2, again)

    still.after(2, again)
    still.tick(7)
    assert seen == [2, 4, 6]


def test_what_is_due_now_needs_no_tick(still):
    done = threading.Event()
    still.after(0, done.set)
    assert done.wait(60)


def test_a_tick_waits_for_work_on_workers(still):
    work: Future[None] = Future()
    seen = []
    still.when_done(work, lambda error: seen.append((still.clock.now(), error)))
    still.after(5, lambda: seen.append((still.clock.now(), "due")))
    ticking = threading.Thread(target=still.tick, args=(5,))
    ticking.start()
    time.sleep(0.1)
    assert ticking.is_alive()
    work.set_result(None)
    ticking.join(10)
    assert seen == [(0, None), (5, "due")]


def test_errors_of_work_arrive(still):
    work: Future[None] = Future()
    seen = []
    still.when_done(work, seen.append)
    broken = OSError("broken")
    work.set_exception(broken)
    still.tick(0)
    assert seen == [broken]


def test_a_fast_clock_is_fast():
    scheduler = Scheduler(Clock(speed=1000))
    done = threading.Event()
    scheduler.after(100, done.set)
    assert done.wait(20)
    assert scheduler.clock.now() >= 100
    scheduler.stop()


def test_a_change_of_speed_wakes_who_sleeps(still):
    done = threading.Event()
    still.after(1000, done.set)
    still.set_speed(1_000_000)
    assert done.wait(60)
    still.set_speed(0)
    before = still.clock.now()
    time.sleep(0.02)
    assert still.clock.now() == before


def test_the_api_shows_emulated_time(tmp_path):
    with driving(tmp_path / "cloud") as cloud:
        began = cloud.control.time()
        cloud.tick(86_400)
        cloud.ready("late")
        assert cloud.find("late").create_time.timestamp() == pytest.approx(began.time + 86_400, abs=1)
        assert cloud.control.time().now_s == 86_410


def test_time_does_not_go_backwards(tmp_path):
    with driving(tmp_path / "cloud") as cloud:
        for wrong in (lambda: cloud.tick(-1), lambda: cloud.control.speed(-1)):
            with pytest.raises(ConfigError, match="backwards"):
                wrong()


def test_random_times_are_within_bounds_and_the_same_for_the_same_seed(tmp_path):
    times = []
    for name in ("one", "two"):
        with driving(tmp_path / name, create_s=(10.0, 20.0), seed=7) as cloud:
            cloud.create("n")
            cloud.tick(9.9)
            assert cloud.state("n") == "CREATING"
            passed = 9.9
            while cloud.state("n") == "CREATING":
                cloud.tick(0.25)
                passed += 0.25
            times.append(passed)
    assert times[0] == times[1] < 20.3
