from __future__ import annotations

from pathlib import Path

import pytest
from driven import driven, shared

from tpuherd.errors import ConfigError
from tpuherd_emulator.scenarios.load import load

__all__ = ["driven", "shared"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scenarios"


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "scenario.yaml"
        path.write_text(text)
        return path

    return write


def test_what_holds_from_the_beginning(driven, written):
    driven.control.scenario(
        written("""
            capacity: [{place: us-central1-a, generation: v5e, chips: 16}]
            quota: [{place: us-central1, chips: 48}]
            faults: [{kind: stockout, count: 1}]
        """)
    )
    assert {(row.limit, row.chips) for row in driven.control.limits()} == {("capacity", 16), ("quota", 48)}
    driven.create("first")
    driven.tick(10)
    assert driven.state("first") == "gone"
    driven.ready("second")


def test_what_happens_at_a_time(driven, written):
    driven.control.scenario(
        written("""
            timeline:
              - at: 2m
                do: [{fault: {kind: preempt, node: n, notice_s: 30s}}]
              - at: 10m
                do: [{fault: {kind: stockout}}]
              - at: 20m
                do: [{clear: all}]
        """)
    )
    driven.ready("n")
    driven.tick(139)
    assert driven.state("n") == "READY"
    driven.tick(1)
    assert driven.state("n") == "PREEMPTED"
    driven.tick(600)
    assert [fault.kind for fault in driven.control.faults()] == ["stockout"]
    driven.tick(600)
    assert driven.control.faults() == ()


def test_what_happens_when_something_else_has_happened(driven, written):
    driven.control.scenario(
        written("""
            timeline:
              - when: {node: "n*", state: READY}
                at: 60
                do: [{fault: {kind: preempt, node: "n*"}}]
              - when: {queued_resource: q, state: WAITING_FOR_RESOURCES}
                do: [{capacity: {place: us-central1-a, chips: 1000}}]
            capacity: [{place: us-central1-a, chips: 16}]
        """)
    )
    driven.tick(1000)
    driven.ready("n1")
    driven.tick(59)
    assert driven.state("n1") == "READY"
    driven.enqueue("q", nodes=2)
    driven.tick(1)
    assert driven.state("n1") == "PREEMPTED"
    driven.tick(100)
    assert driven.queue_state("q") == "ACTIVE"


def test_a_step_that_has_nothing_to_strike_does_not_stop_those_behind_it(driven, written):
    driven.control.scenario(
        written("""
            timeline:
              - do:
                  - fault: {kind: preempt, node: nobody}
                  - fault: {kind: stockout}
        """)
    )
    driven.tick(0)
    assert [fault.kind for fault in driven.control.faults()] == ["stockout"]
    assert "nothing matches" in (driven.directory / "daemon.log").read_text()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("fautls: []", r"scenario.yaml:1: fautls: unknown key; did you mean 'faults'"),
        ("faults: [{kind: stokout}]", r"faults\[0\].kind: 'stokout'; did you mean 'stockout'"),
        ("faults:\n  - kind: stockout\n    zon: a", r"yaml:3: faults\[0\].zon: .*did you mean 'zone'"),
        ("faults: [{kind: stockout, rate: 2}]", r"faults\[0\].rate: expected"),
        ("faults: [{kind: repairing, value: BAD}]", r"value 'BAD': expected one of READY, UNKNOWN"),
        ("timeline: [{at: soon, do: [{speed: 2}]}]", r"timeline\[0\].at: expected seconds, or a time span"),
        ("timeline: [{do: [{speed: 2, clear: all}]}]", r"expected exactly one of fault, clear"),
        ("timeline: [{do: []}]", r"timeline\[0\].do"),
        ("timeline: [{when: {state: READY}, do: [{speed: 2}]}]", r"exactly one of node, queued_resource"),
        ("capacity: [{place: somewhere, chips: 1}]", r"capacity\[0\].place: expected"),
        ("capacity: [{place: us-west4-a}]", r"capacity\[0\].chips: is required"),
        ("cloud: {clock: sundial}", r"cloud.clock: 'sundial'"),
        ("- 1", "the top level is a list"),
        ("a: [", "not valid YAML"),
    ],
)  # fmt: skip
def test_what_is_no_scenario(written, text, wrong):
    with pytest.raises(ConfigError, match=wrong):
        load(written(text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="there is no such file"):
        load(tmp_path / "none.yaml")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_an_example_plays(driven, path):
    driven.control.scenario(path)
    driven.create("job-1", zone="us-west4-a")
    driven.enqueue("job-2")
    driven.tick(86_400)
    log = (driven.directory / "daemon.log").read_text()
    assert "Traceback" not in log


def test_there_are_examples():
    assert len(list(EXAMPLES.glob("*.yaml"))) >= 3
