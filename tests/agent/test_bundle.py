from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys

import pytest

from tpuherd.agent.bundle import bundle, command, install_command, sources

PRINT_DIGEST = "from tpuherd.agent.bundle import bundle; print(bundle().digest)"


def test_the_same_sources_always_make_the_same_bytes():
    digests = {
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGEST],
            env={**os.environ, "TZ": zone, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        ).stdout.strip()
        for zone, seed in (("UTC", "1"), ("Asia/Tokyo", "2"))
    }
    assert digests == {bundle().digest} == {hashlib.sha256(bundle().content).hexdigest()}


def test_every_source_is_python_3_10_and_needs_the_standard_library_only():
    everything = {**sources(), "the script": bundle().content}
    assert {"tpuherd_agent", "tpuherd_agent.__main__", "tpuherd_agent.watch"} < everything.keys()
    for name, source in everything.items():
        tree = ast.parse(source, feature_version=(3, 10))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        named = [
            [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            for node in imports
        ]
        roots = {module.split(".")[0] for modules in named for module in modules}
        assert roots <= {*sys.stdlib_module_names, "tpuherd_agent"}, name


def test_installing_again_changes_nothing(worker):
    file = worker.home / ".tpuherd" / "agent" / f"{bundle().digest}.py"
    before = file.stat().st_mtime_ns
    assert worker.shell(install_command(bundle()), bundle().content).stdout == b"present\n"
    assert file.stat().st_mtime_ns == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_truncated_transfer_installs_nothing(worker):
    file = worker.home / ".tpuherd" / "agent" / f"{bundle().digest}.py"
    file.unlink()
    done = worker.shell(install_command(bundle()), bundle().content[:1000])
    assert done.returncode == 1
    assert b"install it again" in done.stderr
    assert list(file.parent.iterdir()) == []


def test_concurrent_installs_leave_one_whole_agent(worker):
    file = worker.home / ".tpuherd" / "agent" / f"{bundle().digest}.py"
    file.unlink()
    line = install_command(bundle())
    installs = [
        subprocess.Popen(
            ["sh", "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=worker.environment
        )
        for _ in range(8)
    ]
    outputs = {install.communicate(bundle().content)[0] for install in installs}
    assert outputs <= {b"installed\n", b"present\n"}
    assert file.read_bytes() == bundle().content
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_arguments_are_quoted():
    assert command(bundle(), "status", "--attempt", "a b;c").endswith(".py status --attempt 'a b;c'")


def compiled(worker):
    """What the agent has compiled on this worker."""
    return [path for path in (worker.home / ".tpuherd" / "agent").iterdir() if path.suffix != ".py"]


def test_the_first_call_compiles_and_the_others_read(worker):
    assert worker.answer("status") == {"attempts": []}
    (kept,) = compiled(worker)
    assert sys.implementation.cache_tag in kept.name
    before = kept.stat()
    assert worker.answer("devices")["devices"] == []
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("damage", [b"", b"abc", b"\0" * 5000])
def test_what_is_compiled_and_damaged_is_made_again(worker, damage):
    worker.answer("status")
    (kept,) = compiled(worker)
    whole = kept.read_bytes()
    kept.write_bytes(damage or whole[:-100])
    assert worker.answer("status") == {"attempts": []}
    assert kept.read_bytes() == whole


def test_it_works_where_nothing_can_be_kept(worker):
    worker.answer("status")
    (kept,) = compiled(worker)
    kept.unlink()
    kept.mkdir()  # stands in the way of every user, root too
    assert worker.answer("status") == {"attempts": []}
    assert compiled(worker) == [kept]


def test_many_first_calls_at_once(worker):
    calls = [worker.open("status", stdout=subprocess.PIPE) for _ in range(8)]
    assert {call.communicate()[0] for call in calls} == {b'{"attempts": []}\n'}
    assert len(compiled(worker)) == 1


def test_a_damaged_agent_is_replaced(worker):
    file = worker.home / ".tpuherd" / "agent" / f"{bundle().digest}.py"
    file.write_bytes(bundle().content[:20_000])
    assert worker.shell(install_command(bundle()), bundle().content).stdout == b"installed\n"
    assert worker.answer("status") == {"attempts": []}


def test_an_old_python_is_told_so(worker):
    """No such Python is here: the line that asks for its version is run with another one's number."""
    script = bundle().content.decode().replace("import sys\n", "import sys\n\nsys.version_info = (3, 9)\n", 1)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True)
    assert done.returncode == 1
    assert "older than 3.10" in json.loads(done.stderr)["error"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "no command ''"),
        (["fly"], "no command 'fly'"),
        (["watch"], "watch: --attempt is required"),
        (["watch", "--attempt"], "--attempt needs a value"),
        (["watch", "--attempt", "a", "--offset", "-1"], "--offset: bad value '-1'"),
        (["stop", "--attempt", "a", "--grace", "soon"], "--grace: bad value 'soon'"),
        (["discard", "--path", "x", "--token", "../y"], "--token: bad value '../y'"),
        (["status", "--force"], "unknown option '--force'"),
        (["status", "job.1"], "unknown option 'job.1'"),
    ],
)
def test_a_wrong_command_line_is_refused(worker, words, named):
    code, answer = worker.refusal(*words)
    assert code == 64
    assert named in answer["error"]
