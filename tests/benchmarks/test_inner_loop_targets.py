"""Which targets a report reaches."""

from __future__ import annotations

from inner_loop_targets import MISSED, REACHED, TARGETS, UNKNOWN, judged, table


def row(work, workers, connections, wall_s):
    return {
        "work": work, "who": "tpuherd", "workers": workers, "connections": connections,
        "wall_s": {"median": wall_s},
    }  # fmt: skip


def ratio_row(connections, wall):
    return {"work": "noop", "who": "gcloud", "workers": 64, "connections": connections, "wall": wall}


def test_each_target_is_reached_missed_or_not_measured():
    report = {
        "measured": [
            row("noop", 64, "warm", 0.35),
            row("noop", 64, "cold", 1.21),
            row("noop", 32, "warm", 9.0),
            row("help", 0, "", 0.2),
        ],
        "ratios": [ratio_row("warm", 9.9), ratio_row("cold", 3.0)],
    }
    found = {one["what"]: (one["found"], one["state"]) for one in judged(report)}
    assert found["no-op on 64 workers, warm, s"] == (0.35, REACHED)
    assert found["no-op on 64 workers, cold, s"] == (1.21, MISSED)
    assert found["no-op on 64 workers, warm: times as fast as gcloud"] == (9.9, MISSED)
    assert found["no-op on 64 workers, cold: times as fast as gcloud"] == (3.0, REACHED)
    assert found["tpuherd --help, s"] == (0.2, REACHED)
    assert found["edit until first log line, 16 workers, s"] == (None, UNKNOWN)
    assert len(found) == len(TARGETS)


def test_the_table_has_a_line_for_each_target():
    lines = table(judged({"measured": [row("list", 0, "", 0.7)], "ratios": []})).splitlines()
    assert len(lines) == 1 + len(TARGETS)
    (missed,) = [line for line in lines if line.startswith(MISSED)]
    assert "list of 8 jobs" in missed
    assert "0.7" in missed
