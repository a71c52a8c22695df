"""Machines that exist already, in an emulated cloud: claimed, checked, given back, never made or deleted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clouded import ZONE, eventually
from machines import record

import tpuherd_inventory as plugin
from tpuherd import ConfigError, Presence, ProvisionError
from tpuherd.agent.bundle import bundle, command
from tpuherd.cloud.labels import JOB, OWNER
from tpuherd.store.aliases import Alias, MachineName
from tpuherd.store.records import JobState
from tpuherd.store.reservations import Reservation

OTHER_ZONE = "us-east1-c"

pytestmark = pytest.mark.slow


def run(job, held, line):
    return job.session.workers(held, job.cloud.ssh).run(line, timeout_s=30)


def start_attempt(job, held, attempt, script="sleep 60"):
    """Start something under the agents as a job would."""
    from tpuherd.agent.client import Agents

    agents = Agents(job.session.workers(held, job.cloud.ssh))
    agents.install()
    spec = {"attempt": attempt, "argv": ["sh", "-c", script], "cwd": ""}
    done = agents.start({worker.index: spec for worker in held.workers})
    assert not done.failed, done.summary()


def test_a_named_tpu_is_used_and_stays(machines):
    node = machines.make("theirs", "v5litepod-16")
    job = machines.job("named-0001", {"tpu": "theirs"}, accelerator="v5litepod-16")
    held = machines.provision(job)
    assert [worker.internal_address for worker in held.workers] == [
        e.ip_address for e in node.network_endpoints
    ]
    assert held.incarnation == str(node.id)
    assert machines.store.claims.all() == {f"theirs@{ZONE}": "named-0001"}
    assert machines.provision(job) == held
    (seen,) = plugin.observe(job, held)
    assert (seen.presence, seen.state) == (Presence.PRESENT, "READY")

    assert plugin.release(job, held) is True
    assert plugin.release(job, held) is True
    assert machines.store.claims.all() == {}
    after = machines.node("theirs")
    assert (after.id, after.labels, after.metadata) == (node.id, node.labels, node.metadata)


def test_of_two_jobs_the_second_is_told_and_gets_it_later(machines):
    machines.make("one")
    first, second = (machines.job(f"two-000{n}", {"tpu": "one"}) for n in (1, 2))
    held = machines.provision(first)
    with pytest.raises(ProvisionError, match=r"0 of 1 machines.*\n.*one@us-west4-a.*: job two-0001 uses it"):
        machines.provision(second)
    assert plugin.release(second, None) is True
    assert machines.store.claims.of_job("two-0001")
    plugin.release(first, held)
    assert machines.provision(second).slices[0].node_id == "one"


def test_one_that_waits_gets_it_when_it_is_free(machines):
    import threading

    machines.make("wanted")
    first = machines.job("waits-0001", {"tpu": "wanted"})
    second = machines.job("waits-0002", {"tpu": "wanted"}, wait_for_capacity=True, provision_timeout_s=120)
    held, got, notes = machines.provision(first), [], []
    second.session.note = notes.append
    waiting = threading.Thread(target=lambda: got.append(machines.provision(second)))
    waiting.start()
    eventually(lambda: any("job waits-0001 uses it" in note for note in notes))
    plugin.release(first, held)
    waiting.join(60)
    assert [allocation.slices[0].node_id for allocation in got] == ["wanted"]


def test_any_that_matches_and_is_free(machines):
    machines.make("small")
    machines.make("large", "v5litepod-16")
    machines.make("far", "v5litepod-8", zone=OTHER_ZONE)
    zones = {"zones": [ZONE, OTHER_ZONE], "zone": ZONE}
    jobs = [machines.job(f"any-000{n}", {"match": ["v5e-8", "v6e"]}, **zones) for n in (1, 2, 3)]
    assert [machines.provision(job).slices[0].node_id for job in jobs[:2]] == ["small", "far"]
    with pytest.raises(ProvisionError, match=r"small.*any-0001 uses it\n.*far@us-east1-c.*any-0002 uses it"):
        machines.provision(jobs[2])
    with pytest.raises(ProvisionError, match="none of that type or name is there"):
        machines.provision(machines.job("any-0004", {"match": "v4+-nothing-*"}))
    newer = machines.job("any-0005", {"match": "v5e-16+"})
    assert machines.provision(newer).slices[0].accelerator == "v5litepod-16"


def test_several_slices_are_all_claimed_or_none(machines):
    machines.make("m-0")
    machines.make("m-1")
    three = machines.job("three-0001", {"match": "m-*"}, slices=3)
    with pytest.raises(ProvisionError, match="2 of 3 machines can be used now"):
        machines.provision(three)
    assert machines.store.claims.all() == {}
    two = machines.job("both-0001", {"match": "m-*"}, slices=2)
    held = machines.provision(two)
    assert [(w.index, w.slice_index, w.node_id) for w in held.workers] == [(0, 0, "m-0"), (1, 1, "m-1")]
    assert len(machines.store.claims.of_job("both-0001")) == 2
    plugin.release(two, held)
    assert machines.store.claims.all() == {}


def test_what_was_reserved_by_somebody_else_is_refused_unless_forced(machines):
    machines.make("kept")
    until = 4e9
    mine = Reservation(resource="kept", owner="ada", reason="demo", until=until, created_at=0.0)
    machines.store.reservations.make(mine, MachineName(name="kept"), force=False)
    job = machines.job("polite-0001", {"tpu": "kept"})
    with pytest.raises(ProvisionError, match=r"kept is reserved by ada for .*demo.*inventory\.force"):
        machines.provision(job)
    assert machines.store.claims.all() == {}
    assert machines.provision(machines.job("rude-0001", {"tpu": "kept", "force": True})).workers
    own = replace(machines.job("owner-0001", {"match": "other"}), owner="ada")
    machines.make("other")
    other = replace(mine, resource=f"other@{ZONE}")
    machines.store.reservations.make(other, MachineName(name="other", zone=ZONE), force=False)
    assert machines.provision(own).workers


def test_an_alias_says_name_and_zone(machines):
    machines.make("long-name", zone=OTHER_ZONE)
    new = Alias(alias="x", resource="long-name", zone=OTHER_ZONE, owner="tester")
    machines.store.aliases.make(new, force=False)
    for number, key in enumerate(("alias", "tpu")):
        job = machines.job(f"alias-000{number}", {key: "x"})
        held = machines.provision(job)
        assert (held.slices[0].node_id, held.zone) == ("long-name", OTHER_ZONE)
        plugin.release(job, held)
    with pytest.raises(ConfigError, match=r"inventory\.alias: there is no alias 'y'; .*valid: x"):
        machines.provision(machines.job("alias-0009", {"alias": "y"}))


def test_a_name_that_nobody_has(machines):
    with pytest.raises(ConfigError, match="there is no TPU nobody in us-west4-a"):
        machines.provision(machines.job("nobody-0001", {"tpu": "nobody"}))


def test_what_is_not_ready_of_another_type_or_in_a_jobs_hands_is_refused(machines):
    machines.make("stopped")
    machines.api(ZONE).change("stop_node", name=f"{machines.api(ZONE).parent}/nodes/stopped")
    eventually(lambda: machines.node("stopped").state.name == "STOPPED")
    with pytest.raises(ProvisionError, match=r"stopped@us-west4-a .*: it is STOPPED"):
        machines.provision(machines.job("ready-0001", {"tpu": "stopped"}))

    machines.make("typed")
    with pytest.raises(ProvisionError, match=r"the job wants a v5litepod-4: change tpu\.accelerator"):
        machines.provision(machines.job("typed-0001", {"tpu": "typed"}, accelerator="v5litepod-4"))

    machines.store.jobs.add(record("maker-0001"))
    machines.make("made", labels={JOB: "maker-0001", OWNER: "tester"})
    with pytest.raises(ProvisionError, match="made for job maker-0001, which may still use it"):
        machines.provision(machines.job("taker-0001", {"tpu": "made"}))
    machines.store.jobs.end("maker-0001", JobState.SUCCEEDED, 0, "")
    assert machines.provision(machines.job("taker-0002", {"tpu": "made"})).workers


def test_our_key_is_added_to_the_metadata_only_where_the_login_fails(machines, tmp_path):
    import subprocess

    key = tmp_path / "another"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    machines.make("locked", metadata={"ssh-keys": "bob:ssh-ed25519 AAAAbob bob", "color": "red"})
    job = machines.job("locked-0001", {"tpu": "locked"})
    public = key.with_suffix(".pub").read_text().strip()
    stranger = replace(job.cloud.ssh, private_key=str(key), public_key=public)
    job = replace(job, cloud=replace(job.cloud, ssh=stranger))
    assert run(job, machines.provision(job), "echo in").results[0].stdout == "in\n"
    metadata = dict(machines.node("locked").metadata)
    assert metadata["color"] == "red"
    assert metadata["ssh-keys"].splitlines() == ["bob:ssh-ed25519 AAAAbob bob", f"{stranger.user}:{public}"]


def test_what_runs_there_already_is_noticed_and_left_alone(machines):
    machines.make("busy")
    before = machines.job("before-0001", {"tpu": "busy"})
    held = machines.provision(before)
    start_attempt(before, held, "stranger-9999.1")
    machines.store.claims.give_back("before-0001")
    with pytest.raises(ProvisionError, match=r"something runs on it: w0: attempt stranger-9999\.1"):
        machines.provision(machines.job("after-0001", {"tpu": "busy"}))
    assert machines.store.claims.all() == {}
    status = command(bundle(), "status", "--attempt", "stranger-9999.1")
    assert '"running"' in run(before, held, status).results[0].stdout


def test_release_ends_what_still_runs_of_the_job_and_nothing_else(machines):
    machines.make("shared")
    job = machines.job("ends-0001", {"tpu": "shared"})
    held = machines.provision(job)
    start_attempt(job, held, "ends-0001.1")
    start_attempt(job, held, "ends-0001x.1")
    plugin.release(job, held)
    states = [
        run(job, held, command(bundle(), "status", "--attempt", name)).results[0].stdout
        for name in ("ends-0001.1", "ends-0001x.1")
    ]
    assert '"stopped"' in states[0]
    assert '"running"' in states[1]
    assert machines.store.claims.all() == {}


def test_a_machine_that_is_gone_is_given_back_without_asking_it(machines):
    machines.make("gone")
    job = machines.job("gone-0001", {"tpu": "gone"})
    held = machines.provision(job)
    api = machines.api(ZONE)
    api.change("delete_node", name=f"{api.parent}/nodes/gone")
    eventually(lambda: machines.node("gone") is None)
    (seen,) = plugin.observe(job, held)
    assert seen.presence is Presence.ABSENT
    assert plugin.release(job, held) is True
    assert machines.store.claims.all() == {}


def test_machines_of_a_file(machines):
    a, b = machines.make("file-a"), machines.make("file-b", "v5litepod-16")
    machines.file(a, b)
    job = machines.job("file-0001", {"file": "hosts.yaml"})
    held = machines.provision(job)
    assert held.slices[0].node_id == "file-a"
    assert [key.partition(" ")[0] for key in machines.store.claims.all()] == ["host"]
    with pytest.raises(ProvisionError, match="job file-0001 uses it"):
        machines.provision(machines.job("file-0002", {"file": "hosts.yaml"}))
    (seen,) = plugin.observe(job, held)
    assert seen.presence is Presence.PRESENT
    named = machines.job("file-0003", {"file": "hosts.yaml", "tpu": "file-b"}, accelerator="v5litepod-16")
    assert len(machines.provision(named).workers) == 4
    with pytest.raises(ConfigError, match=r"hosts\.yaml: there is no file-c; did you mean 'file-"):
        machines.provision(machines.job("file-0004", {"file": "hosts.yaml", "tpu": "file-c"}))
    plugin.release(job, held)


def test_a_machine_of_a_file_that_does_not_answer(machines):
    node = machines.make("silent")
    machines.file(node, name="silent.yaml")
    job = machines.job("silent-0001", {"file": "silent.yaml"})
    held = machines.provision(job)
    api = machines.api(ZONE)
    api.change("delete_node", name=f"{api.parent}/nodes/silent")
    eventually(lambda: machines.node("silent") is None)
    (seen,) = plugin.observe(job, held)
    assert seen.presence is Presence.UNKNOWN
    assert "0 of 1 workers" in seen.detail
    with pytest.raises(ProvisionError, match=r"silent: it is not known whether job silent-0001 still runs"):
        plugin.release(job, held)
    assert machines.store.claims.of_job("silent-0001")
    machines.store.jobs.end("silent-0001", JobState.FAILED, 5, "")
    with pytest.raises(ProvisionError, match=r"silent.*: 0 of 1 workers"):
        machines.provision(machines.job("silent-0002", {"file": "silent.yaml"}))
