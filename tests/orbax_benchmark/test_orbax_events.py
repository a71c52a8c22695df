from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import pytest

from tpuherd_orbax_benchmark.worker import events
from tpuherd_orbax_benchmark.worker.series import unit_of

if TYPE_CHECKING:
    from pathlib import Path


def event_file(directory: Path) -> Path:
    return next(directory.glob("tensorboard/*/host_0/events.*"))


def record(payload: bytes) -> bytes:
    return struct.pack("<Q", len(payload)) + b"\0" * 4 + payload + b"\0" * 4


def field(number: int, payload: bytes) -> bytes:
    return bytes([number << 3 | 2, len(payload)]) + payload


def test_recorded_file_holds_what_the_harness_says_in_its_own_means(four_processes: Path) -> None:
    path = event_file(four_processes)
    means = json.loads((path.parent / "_per_host_means.json").read_text())
    expected = {key.replace("::", "/"): mean for key, mean in zip(means["keys"], means["means"], strict=True)}
    found = {point.tag: point.value for point in events.points(path.read_bytes())}
    assert found == {tag: pytest.approx(mean, rel=1e-6, abs=1e-12) for tag, mean in expected.items()}


def test_steps_are_the_repeats(merged_names: Path) -> None:
    points = events.points(event_file(merged_names).read_bytes())
    assert [p.step for p in points if p.tag == "save/0_basics/time_s"] == [0, 1, 2, 3]


def test_truncated_file_gives_its_complete_records_first(four_processes: Path) -> None:
    whole = event_file(four_processes).read_bytes()
    complete = list(events.points(whole))
    reader = events.points(whole[:-5])
    assert [next(reader) for _ in complete[:-1]] == complete[:-1]
    with pytest.raises(events.TruncatedError):
        next(reader)


def test_the_old_simple_value_and_typed_tensor_fields_are_read() -> None:
    simple = field(1, b"a") + bytes([2 << 3 | 5]) + struct.pack("<f", 1.5)
    double = field(1, b"b") + field(8, bytes([1 << 3, 2]) + field(6, struct.pack("<d", 0.1)))
    text = field(1, b"error") + field(8, bytes([1 << 3, 7]) + field(8, b"<pre>no</pre>"))
    event = bytes([2 << 3, 0x96, 0x01]) + field(5, field(1, simple) + field(1, double) + field(1, text))
    assert list(events.points(record(event))) == [
        events.Point(150, "a", 1.5),
        events.Point(150, "b", 0.1),
        events.Point(150, "error", "<pre>no</pre>"),
    ]


def test_other_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="wire type 3"):
        list(events.points(record(bytes([1 << 3 | 3]))))


@pytest.mark.parametrize(
    ("metric", "unit"),
    [
        ("0_basics/time_s", "s"),
        ("0_basics/host_rss_diff_mb", "MiB"),
        ("4_throughput/save_total_gbps", "GiB/s"),
        ("5_inventory/save_total_gb", "GiB"),
        ("6_tensorstore/tensorstore_kvstore_file_bytes_read_value_diff", "bytes"),
        ("6_tensorstore/tensorstore_kvstore_file_read_latency_ms_count_diff", "count"),
        ("6_io/file_bytes_read_per_host", "bytes"),
        ("7_memory/jax_live_arrays_count_delta", "count"),
        ("7_overhead/delete_threaded_s", "s"),
        ("8_jax/cache_hit_rate", "ratio"),
        ("9_other/orbax_write_async_start_time", "ms since the epoch"),
        ("9_other/orbax_write_worker_io_requested_throughput_gbytes_per_sec", "GiB/s"),
        ("9_other/orbax_write_blocking_d2h_duration_secs", "s"),
        ("9_other/something_new", ""),
    ],
)
def test_units_follow_the_names_of_the_harness(metric: str, unit: str) -> None:
    assert unit_of(metric) == unit
