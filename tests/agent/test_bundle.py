from __future__ import annotations

import ast
import hashlib
import os
import subprocess
import sys
import zipfile
from io import BytesIO

from tpuherd.agent.bundle import bundle, command, install_command

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
    with zipfile.ZipFile(BytesIO(bundle().content)) as archive:
        for name in archive.namelist():
            tree = ast.parse(archive.read(name), feature_version=(3, 10))
            imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
            roots = {
                name.split(".")[0]
                for node in imports
                for name in (
                    [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
                )
            }
            assert roots <= {*sys.stdlib_module_names, "tpuherd_agent"}, name


def test_installing_again_changes_nothing(worker):
    file = worker.home / ".tpuherd" / "agent" / f"{bundle().digest}.pyz"
    before = file.stat().st_mtime_ns
    assert worker.shell(install_command(bundle()), bundle().content).stdout == b"present\n"
    assert file.stat().st_mtime_ns == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_truncated_transfer_installs_nothing(worker):
    file = worker.home / ".tpuherd" / "agent" / f"{bundle().digest}.pyz"
    file.unlink()
    done = worker.shell(install_command(bundle()), bundle().content[:1000])
    assert done.returncode == 1
    assert b"install it again" in done.stderr
    assert list(file.parent.iterdir()) == []


def test_concurrent_installs_leave_one_whole_agent(worker):
    file = worker.home / ".tpuherd" / "agent" / f"{bundle().digest}.pyz"
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
    assert command(bundle(), "status", "--attempt", "a b;c").endswith(".pyz status --attempt 'a b;c'")
