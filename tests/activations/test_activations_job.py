"""`workload.kind: activations` on the emulated cloud: real JAX on two workers that share the work."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

import tpuherd_activations
from tpuherd_activations.worker.places import open_place

EXAMPLES = Path(__file__).parents[2] / "examples"
MAKE_INPUT = EXAMPLES / "activations" / "make_input.py"


@pytest.fixture
def job(tmp_path):
    """The example, with its input in the test's folder; keyword arguments change the section."""
    made = tmp_path / "made"
    subprocess.run([sys.executable, MAKE_INPUT, made], check=True)

    def write(**changes):
        content = yaml.safe_load((EXAMPLES / "activations.yaml").read_text())
        content["activations"] |= {"model": str(made / "model"), "input": str(made / "documents")} | changes
        content["output"] = {"directory": str(tmp_path / "out")}
        if (tmp_path / "code").exists():
            content["code"] = {"sync": "worktree", "path": "code"}
        file = tmp_path / "job.yaml"
        file.write_text(yaml.safe_dump(content))
        return file

    return write


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


PROMPTS = """
import os

def texts(record, number, copies=1):
    assert os.environ["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=1", "workers get huge pages"
    return [f"{copy} {record['text']}" for copy in range(copies if number % 10 == 0 else 1)]
"""


@pytest.mark.slow(80)
@pytest.mark.timeout(900)
def test_killed_in_the_middle_the_dataset_is_the_same(job, tpuherd_run, tpuherd_home, tmp_path):
    """With documents that a function of the job's code makes."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code/prompts.py").write_text(PROMPTS)
    file = job(rows_per_shard=1000, form="prompts:texts", form_options={"copies": 3})
    killed = tpuherd_run("run", file, "--test-restart", "--json", timeout_s=800)
    assert killed.exit_code == 0, killed.stderr + killed.stdout[-4000:]
    assert "attempt 2 goes on where" in json.loads(killed.stdout)["restart_test"]["verdict"]
    (tmp_path / "out").rename(tmp_path / "killed")

    whole = tpuherd_run("run", file, timeout_s=800)
    assert whole.exit_code == 0, whole.stderr + whole.stdout[-4000:]
    assert contents(tmp_path / "killed") == contents(tmp_path / "out")
    again = json.loads(tpuherd_run("run", file, "--json").stdout)
    assert str(tmp_path / "out") in again["finished_before"]["address"], (
        "it is known before a worker is asked"
    )

    dataset = tpuherd_activations.open(tmp_path / "out")
    assert not dataset.verify()
    assert len(dataset.hooks) == 5
    assert len(dataset.shards.manifests) > 6
    rows = dataset.take(np.arange(len(dataset)))
    assert 256 not in rows.token_ids, "special tokens are dropped"
    assert np.unique(rows.document_ids).tolist() == list(range(200))
    starts = rows.positions == 1  # each document's first token that is kept
    assert rows.prompts[starts & (rows.document_ids % 10 == 0)].tolist() == [0, 1, 2] * 20
    assert rows.token_ids[starts].tolist() == [ord("0") + prompt for prompt in rows.prompts[starts]]
    totals = json.loads(next(tpuherd_home.glob("jobs/*/attempt-2/results/totals.json")).read_text())
    assert totals["rows"] == len(dataset)
    assert f"{len(dataset):,} rows of 200 documents that became 240 in" in whole.stdout

    shown = tpuherd_run("activations.show", tmp_path / "out")
    assert re.search(r"blocks\.1\.attn\.hook_z +\[4, 16\] +BF16", shown.stdout)
    damaged = next((tmp_path / "out").rglob("rows-*"))
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    checked = tpuherd_run("activations.verify", tmp_path / "out")
    assert checked.exit_code == 11
    assert damaged.name in checked.stdout


@pytest.mark.slow(60)
@pytest.mark.timeout(900)
def test_the_workers_of_a_slice_compute_together(job, tpuherd_run, tmp_path):
    file = job(span="slice", mesh="data=4,tensor=2")
    keep_documents(tmp_path / "made/documents", 20)
    done = tpuherd_run("run", file, timeout_s=800)
    assert done.exit_code == 0, done.stderr + done.stdout[-4000:]
    assert "2 workers compute together: mesh data=4,fsdp=1,tensor=2" in done.stdout
    dataset = tpuherd_activations.open(tmp_path / "out")
    assert not dataset.verify()
    assert np.unique(dataset.take(np.arange(len(dataset))).document_ids).tolist() == list(range(20))


def keep_documents(folder, count):
    """Only the first ones of the example: every batch is a talk between processes."""
    lines = [line for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()]
    for path in folder.iterdir():
        path.unlink()
    (folder / "documents.jsonl").write_text("\n".join(lines[:count]) + "\n")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hooks": ["blocks.9.hook_resid_post"]}, "hook 'blocks.9.hook_resid_post' matches nothing"),
        ({"hooks": []}, "name at least one hook"),
        ({"model": "model"}, "expected gs://BUCKET/FOLDER, or a path that begins with / or ~/"),
        ({"model": "/nowhere"}, "activations.model: /nowhere: there is no such folder"),
        ({"local_input": "nowhere"}, "nowhere: there is no such folder"),
        ({"input": "/proc/self/attr"}, "there are no files of documents"),
        ({"dtype": "int8"}, "activations.dtype"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_runs(job, tpuherd_run, changes, message):
    planned = tpuherd_run("plan", job(**changes))
    assert planned.exit_code == 3, planned.stdout
    assert message in " ".join(planned.stderr.split())


def test_the_plan_says_how_much_comes_out_and_what_is_not_read(job, tpuherd_run, tmp_path):
    file = job()
    (tmp_path / "made/documents/notes.md").write_text("")
    planned = tpuherd_run("plan", file, "--json")
    (action,) = [
        step["action"] for step in json.loads(planned.stdout)["steps"] if step["stage"] == "run_workload"
    ]
    assert "about 11,631 rows, 0.01 GiB" in action
    assert action.endswith("; not read: notes.md")


def test_an_estimate_of_what_lies_in_a_bucket(job, tpuherd_run, bucket, tmp_path):
    file = job()
    planned = tpuherd_run("plan", file)
    assert "about 11,631 rows, 0.01 GiB" in " ".join(planned.stdout.split())
    target = open_place(f"{bucket}/made")
    for path in (tmp_path / "made").rglob("*"):
        if path.is_file():
            assert target.create(path.relative_to(tmp_path / "made").as_posix(), path.read_bytes())
    there = job(model=f"{bucket}/made/model", input=f"{bucket}/made/documents")
    for words in ([], ["--override", "cloud=google"]):
        done = tpuherd_run("activations.estimate", there, "--json", *words)
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
        assert (found["files"], found["rows"]) == (1, 11_631)
        assert found["hooks"]["blocks.1.attn.hook_z"] == 4 * 16 * 2
        assert (found["cost_usd"] is not None) == bool(words)
    assert "about 11,631 rows, 0.01 GiB, 0.00 h" in tpuherd_run("activations.estimate", there).stdout
    wrong = tpuherd_run("activations.estimate", job(model=f"{bucket}/nothing"))
    assert wrong.exit_code == 3
    assert "nothing/config.json: there is no such object" in " ".join(wrong.stderr.split())


def test_streams_are_made_by_the_command(job, tpuherd_run, tmp_path):
    job()
    words = (
        "activations.create-streams",
        tmp_path / "made/documents",
        tmp_path / "streams",
        "--streams",
        "3",
    )
    done = tpuherd_run(*words)
    assert done.exit_code == 0, done.stderr
    assert "200 documents in 3 streams" in done.stdout
    lines = [len(file.read_text().splitlines()) for file in sorted((tmp_path / "streams").glob("*.jsonl"))]
    assert lines == [67, 67, 66]
    assert "there are streams already" in tpuherd_run(*words).stderr
