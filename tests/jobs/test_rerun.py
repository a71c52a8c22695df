"""The inner loop: another attempt on the same slices and environment."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest
import yaml
from herd import output, wait_for
from keeping import lines

if TYPE_CHECKING:
    from pathlib import Path

    from herd import Herd

pytestmark = pytest.mark.slow
SAYS = 'echo "attempt $TPUHERD_ATTEMPT resume $TPUHERD_RESUME says $SAID."'


def change(path: Path, **sections: object) -> None:
    """Edit a job file; `None` takes a section out."""
    content = yaml.safe_load(path.read_text()) | sections
    path.write_text(yaml.safe_dump({name: value for name, value in content.items() if value is not None}))


def stages(herd: Herd, attempt: int) -> dict[str, float]:
    """When each stage of an attempt began."""
    return {row["stage"]: row["started_at"] for row in herd.status()["stages"] if row["attempt"] == attempt}


@pytest.fixture
def code(herd: Herd) -> Path:
    """A folder with a script."""
    folder = herd.root / "code"
    folder.mkdir()
    (folder / "said.sh").write_text("echo first")
    return folder


@pytest.fixture
def kept(cloud: Herd, code: Path) -> Path:
    """A job that has succeeded and kept its slice."""
    path = cloud.job(f"{SAYS}; bash said.sh", code={"sync": "worktree", "path": str(code)})
    cloud.ok("run", path, "--keep")
    return path


def test_again_and_again_with_what_has_changed(cloud: Herd, kept: Path, code: Path) -> None:
    (code / "said.sh").write_text("echo second")
    assert lines(cloud.ok("rerun", "job"))[:2] == ["attempt 2 resume 0 says .", "second"]
    first, second = stages(cloud, 1), stages(cloud, 2)
    assert (first["provision"], first["prepare_env"]) == (second["provision"], second["prepare_env"])
    assert second["sync_code"] > first["sync_code"]

    said = cloud.ok("rerun", "job", "--override", "env.SAID=hello", "--resume")
    assert lines(said)[:2] == ["attempt 3 resume 1 says hello.", "second"]
    assert "says hello." in cloud.ok("rerun", "job"), "an override stays"
    assert "says ." in cloud.ok("rerun", "job", "--fresh"), "until it is forgotten"

    change(kept, command={"cmd": "echo from the file"})
    assert lines(cloud.ok("rerun", "job"))[0] == "from the file"
    assert lines(cloud.ok("rerun", "job", "--", "echo", "two  words", "${HOME}"))[0] == "two  words ${HOME}"

    assert cloud.status()["attempt"] == 7
    assert len(cloud.operations("create")) == 1
    assert "second" in cloud.ok("logs", "job", "--attempt", 2)
    cloud.ok("release", "--job", kept)
    assert cloud.cloud()["nodes"] == []
    assert "holds no workers" in cloud.ends_with(10, "rerun", "job").stderr


def test_after_a_failure_and_with_one(cloud: Herd, kept: Path) -> None:
    done = cloud.ends_with(8, "rerun", "job", "--json", "--", "sh", "-c", "echo broken; exit 3")
    assert json.loads(done.stdout)["state"] == "failed"
    assert cloud.status()["holds"] == "slices"
    assert json.loads(cloud.ok("rerun", "job", "--json", "--", "true"))["state"] == "succeeded"
    assert (cloud.status()["state"], cloud.status()["exit_code"]) == ("succeeded", 0)


def test_ctrl_c_stops_the_workload_and_keeps_the_slices(cloud: Herd, kept: Path) -> None:
    process = cloud.start("rerun", "job", "--on-interrupt", "cancel", "--", "sh", "-c", "echo on; sleep 621")
    cloud.until_says(process, "│ on")
    process.send_signal(signal.SIGINT)
    assert process.wait(90) == 130
    assert "then the slices are kept" in output(process)
    assert not [line for line in cloud.processes().values() if "sleep 621" in line]
    assert (cloud.status()["state"], cloud.status()["holds"]) == ("cancelled", "slices")
    assert lines(cloud.ok("rerun", "job", "--", "echo", "again"))[0] == "again"


def test_a_second_one_at_the_same_time_is_refused(cloud: Herd, kept: Path) -> None:
    process = cloud.start("rerun", "job", "--", "sh", "-c", "echo on; sleep 622")
    cloud.until_says(process, "│ on")
    assert "driven by another controller" in cloud.ends_with(10, "rerun", "job").stderr
    process.kill()
    process.wait()
    assert [line for line in cloud.processes().values() if "sleep 622" in line]
    assert lines(cloud.ok("rerun", "job", "--", "echo", "instead"))[0] == "instead"
    assert wait_for(lambda: not [line for line in cloud.processes().values() if "sleep 622" in line])


def test_other_slices_are_refused(cloud: Herd, kept: Path) -> None:
    done = cloud.ends_with(3, "rerun", "job", "--override", "tpu.accelerator=v5litepod-16")
    assert "tpu differ" in done.stderr
    assert "no such file" in cloud.ends_with(3, "rerun", "job", "--job-file", "nowhere.yaml").stderr
    assert cloud.status()["attempt"] == 1


def test_another_environment_is_made_first(cloud: Herd, kept: Path) -> None:
    sections = {"job": {"env_type": "venv"}, "venv": {"packages": []}}
    other = cloud.root / "other.yaml"
    other.write_text(yaml.safe_dump(yaml.safe_load(kept.read_text()) | sections))
    cloud.ok("rerun", "job", "--job-file", other, "--", "python", "-c", "import sys; print(sys.prefix)")
    assert stages(cloud, 2)["prepare_env"] > stages(cloud, 1)["prepare_env"]
    assert "venv" in cloud.ok("logs", "job")
