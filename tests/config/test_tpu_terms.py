from __future__ import annotations

import pytest

from tpuherd.config.moments import duration_s, moment
from tpuherd.errors import ConfigError


def tpu(folder, *overrides):
    return folder.minimal(*(f"tpu.{override}" for override in overrides)).spec.tpu


def refused(folder, *overrides):
    with pytest.raises(ConfigError) as caught:
        tpu(folder, *overrides)
    return str(caught.value)


def test_defaults(folder):
    found = tpu(folder)
    assert (found.reserved, found.reservation, found.valid_until, found.wait_for_capacity) == (
        False,
        None,
        None,
        False,
    )
    assert (found.ttl_s, found.idle_timeout_s, found.zone_order) == (None, None, "listed")
    assert found.scopes == found.data_disks == ()
    assert found.provision_timeout_s == found.queue_timeout_s == 7 * 24 * 3600
    assert (found.accepted_timeout_s, found.active_timeout_s, found.connect_timeout_s) == (300, 3600, 600)


def test_a_reservation_implies_reserved(folder):
    assert tpu(folder, "reservation=mine").reserved
    whole = "projects/p/locations/us-central2-b/reservations/mine"
    assert tpu(folder, f"reservation={whole}").reservation == whole


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (["reserved=true", "pricing=spot"], "tpu.reserved: reserved capacity is not sold as spot"),
        (["reservation=r", "pricing=preemptible"], "tpu.reservation: reserved capacity is not sold as preem"),
        (["reservation=r", "reserved=false"], "tpu.reserved: tpu.reservation is there, and implies reserved"),
        (["reservation='a b'"], "tpu.reservation: 'a b' is no reservation: write its name, or projects/"),
        (["valid_until=soon"], "tpu.valid_until: 'soon' is no time: write for example 2026-12-01T08:00:00Z"),
        (["valid_until=6"], "tpu.valid_until: expected text (put it in quotes), found 6"),
        (["valid_until='6'"], "tpu.valid_until: '6' is no duration: write a number and s, m, h or d"),
        (["valid_until=0h"], "tpu.valid_until: '0h' is no duration"),
        (["valid_until='2026-12-01T08:00:00'"], "says no time zone: write 2026-12-01T08:00:00Z for UTC"),
        (["ttl_s=0"], "tpu.ttl_s: expected a number greater than 0"),
        (["queue_timeout_s=-1"], "tpu.queue_timeout_s: expected a number greater than 0"),
        (["scopes=[cloud platform]"], "tpu.scopes[0]: 'cloud platform' is no access scope"),
        (["scopes=['https://x.org/a']"], "'https://x.org/a' is no access scope: write for example cloud-pl"),
        (["data_disks=[{source: d, mode: rw}]"], "tpu.data_disks[0].mode: 'rw'; valid: read-write"),
        (["data_disks=[{source: A}]"], "tpu.data_disks[0].source: 'A' is no disk: write its name, or proj"),
        (["data_disks=[{mode: read-only}]"], "tpu.data_disks[0].source: is required: Disk in the zone"),
        (["accelerator=v4-16", "data_disks=[{source: d}]"],
         "tpu.data_disks: d: a v4-16 has several workers, which can only share it with `mode: read-only`"),
        (["slices=2", "data_disks=[{source: d}]"], "tpu.data_disks: d: several slices, which can only share"),
        (["metadata={ssh-keys: x}"], "tpu.metadata: ssh-keys is written by tpuherd itself; tpuherd logs in"),
        (["metadata={startup-script: x}"], "startup-script is written by tpuherd itself; write tpu.startup"),
        (["labels={tpuherd-job: x}"], "labels that start with tpuherd- are tpuherd's own; choose another"),
        (["flags=[--reserved]"], "instead of --reserved write tpu.reserved: true"),
    ],
)  # fmt: skip
def test_contradictions_and_nonsense(folder, overrides, expected):
    lines = refused(folder, *overrides).splitlines()
    assert len(lines) == 1
    assert expected in lines[0]


def test_disks_that_can_be_had(folder):
    (disk,) = tpu(folder, "data_disks=[{source: d}]").data_disks
    assert (disk.source, disk.mode) == ("d", "read-write")
    whole = "projects/p/zones/us-central2-b/disks/d"
    (disk,) = tpu(
        folder, "accelerator=v4-32", f"data_disks=[{{source: {whole}, mode: read-only}}]"
    ).data_disks
    assert disk.source == whole


def test_scopes_get_their_whole_name(folder):
    whole = "https://www.googleapis.com/auth/cloud-platform"
    assert tpu(folder, "scopes=[cloud-platform]").scopes == (whole,)
    assert tpu(folder, f"scopes=['{whole}']").scopes == (whole,)


def test_times_and_durations():
    assert [duration_s(text) for text in ("30s", "90m", "6h", "1.5d")] == [30, 5400, 21600, 129600]
    assert moment("2026-12-01T08:00:00+02:00").isoformat() == "2026-12-01T06:00:00+00:00"
    assert moment("2026-12-01T08:00:00Z") == moment("2026-12-01T08:00:00+00:00")
