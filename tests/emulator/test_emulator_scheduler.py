from __future__ import annotations

import threading
import time

from tpuherd_emulator.scheduler import Scheduler


def test_in_the_order_of_their_time():
    scheduler, seen, done = Scheduler(), [], threading.Event()
    scheduler.after(0.1, lambda: (seen.append("late"), done.set()))
    scheduler.after(0.02, lambda: seen.append("early"))
    scheduler.after(0, lambda: seen.append("now"))
    assert done.wait(60)
    scheduler.stop()
    assert seen == ["now", "early", "late"]


def test_one_that_fails_stops_no_other(capfd):
    scheduler, done = Scheduler(), threading.Event()
    scheduler.after(0, lambda: 1 / 0)
    scheduler.after(0, done.set)
    assert done.wait(60)
    scheduler.stop()
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_never_beside_a_request():
    scheduler, done = Scheduler(), threading.Event()
    with scheduler.lock:
        scheduler.after(0, done.set)
        time.sleep(0.05)
        assert not done.is_set()
    assert done.wait(60)
    scheduler.stop()
