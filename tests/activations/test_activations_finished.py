"""A dataset that is there whole is found before anything is asked for; no other is taken for it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import extracting
import numpy as np
import pytest
import yaml
from google.auth.exceptions import DefaultCredentialsError

from tpuherd_activations.config import ActivationsSection
from tpuherd_activations.finished import _content, find
from tpuherd_activations.worker.input.functions import digest_of_source
from tpuherd_activations.worker.input.reading import all_records
from tpuherd_activations.worker.input.streams import put_streams
from tpuherd_activations.worker.places import open_place

MAKE_INPUT = Path(__file__).parents[2] / "examples" / "activations" / "make_input.py"
PROMPTS = "def twice(record, number):\n    return [record['ids'], record['ids']]\n"


@pytest.fixture
def site(tmp_path):
    """A folder with a model, documents, and a form of one's own."""
    subprocess.run([sys.executable, MAKE_INPUT, tmp_path], check=True)
    extracting.write(tmp_path / "in/a.jsonl", extracting.documents(12))
    (tmp_path / "code").mkdir()
    (tmp_path / "code/prompts.py").write_text(PROMPTS)
    return tmp_path


def content(site, **section):
    """A job file, without what is the same for all."""
    return {
        "job": {"name": "acts"},
        "cloud": "emulator",
        "tpu": {"accelerator": "v5litepod-8", "zone": "us-west4-a"},
        "workload": {"kind": "activations"},
        "output": {"directory": str(site / "out")},
        "code": {"sync": "worktree", "path": str(site / "code")},
        "activations": {
            "model": str(site / "model"),
            "input": str(site / "in"),
            "hooks": ["blocks.1.hook_resid_post"],
            "form": "tokens",
            "field": "ids",
            "max_length": 300,
            "rows_per_shard": 400,
            "batch_tokens": 512,
        }
        | section,
    }


def ones(tokens, segments):
    """As the model's hook has it; what the numbers are does not matter here."""
    return {"blocks.1.hook_resid_post": np.ones((*tokens.shape, 64), np.float32)}


def extracted(site, made, form_source="", form=None):
    """The dataset of a job, made by the worker's own code."""
    words = made["activations"]
    section = ActivationsSection(**words | {"hooks": tuple(words["hooks"])})
    what = _content(section, open_place(str(site / "model")), form_source)
    output = made["output"]["directory"]
    return extracting.extract(section.input, output, content=what, form=form, compute=ones)


@pytest.fixture
def seen(site, job_factory):
    """What is found of a job."""

    def look(made, **cloud):
        job = job_factory(made)
        return find(job.spec, site, replace(job.cloud, **cloud))

    return look


@pytest.mark.parametrize("fleet", [{}, {"fleet": {"members_per_zone": 2}}])
def test_a_run_says_what_is_there_and_makes_nothing(site, tpuherd_run, fleet):
    made = content(site) | fleet
    if fleet:
        made["tpu"] = {"accelerator": "v5litepod-8", "zones": ["us-west4-a", "us-central1-a"]}
    address = extracted(site, made)
    file = site / "job.yaml"
    file.write_text(yaml.safe_dump(made))
    done = tpuherd_run("run", file, "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["state"], told["job"]) == ("succeeded", None)
    assert told["finished_before"]["address"] == address
    assert "the dataset is complete: 1,014 rows of" in told["finished_before"]["summary"]
    assert f"12 documents in 3 shards, 0.00 GiB: {address}" in told["finished_before"]["summary"]
    assert json.loads(tpuherd_run("list", "--json").stdout) == []
    if not fleet:
        made_again = tpuherd_run("create", file)
        assert f"GiB: {address}" in made_again.stdout
        assert "no slice was asked for" in made_again.stderr
        tested = tpuherd_run("run", file, "--test-restart")
        assert tested.exit_code == 3
        assert "--test-restart: nothing is left to do: the dataset is complete" in tested.stderr


@pytest.mark.parametrize(
    "change", [{"max_length": 299}, {"dtype": "float32"}, {"hooks": ["blocks.0.hook_resid_post"]}]
)
def test_another_dataset_is_not_taken_for_it(site, seen, change):
    extracted(site, content(site))
    assert seen(content(site)) is not None
    assert seen(content(site, **change)) is None


def test_what_is_not_whole_or_of_other_files_is_not_there(site, seen):
    made = content(site)
    assert seen(made) is None, "nothing is there"
    address = Path(extracted(site, made))
    assert seen(made).address == str(address)
    about = (address / "dataset.json").read_bytes()
    (address / "dataset.json").unlink()
    assert seen(made) is None, "it is not finished"
    (address / "dataset.json").write_bytes(about)
    weights = site / "model/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"!")
    assert seen(made) is None, "the model is another one"
    (site / "model/config.json").unlink()
    assert seen(made) is None, "that cannot be seen from here"
    assert seen(content(site, model="~/model")) is None


def test_the_code_of_a_form_decides_too(site, seen):
    made = content(site, form="prompts:twice")
    file = site / "code/prompts.py"
    extracted(site, made, digest_of_source(file), lambda record, _number: [record["ids"]] * 2)
    assert "12 documents that became 24 in" in seen(made).summary
    git = {"code": {"sync": "git"}, "git": {"url": "https://example.com/x.git"}}
    assert seen(made | git) is None, "only the workers have it"
    file.write_text(PROMPTS + "\n")
    assert seen(made) is None


def test_documents_of_this_machine_have_to_be_those_of_the_input(site, seen):
    made = content(site, input=str(site / "streams"), local_input="in", streams=2)
    put_streams(all_records(open_place(str(site / "in"))), 2, open_place(str(site / "streams")))
    address = extracted(site, made)
    before = sorted((site / "streams").iterdir())
    assert seen(made).address == address
    extracting.write(site / "in/b.jsonl", extracting.documents(5))
    assert seen(made) is None
    assert sorted((site / "streams").iterdir()) == before, "looking leaves nothing behind"


def test_it_is_found_in_a_bucket(site, seen, storage, bucket, monkeypatch):
    for path in (*(site / "in").iterdir(), *(site / "model").iterdir()):
        assert open_place(bucket).create(path.relative_to(site).as_posix(), path.read_bytes())
    made = content(site, model=f"{bucket}/model", input=f"{bucket}/in")
    made["output"] = {"directory": f"{bucket}/out"}
    here = {"worker_variables": {"STORAGE_EMULATOR_HOST": storage.url}}
    assert seen(made, **here) is None
    address = extracted(site, made)
    assert address.startswith(f"{bucket}/out/")
    assert seen(made, **here).address == address

    def nobody(**_named):
        raise DefaultCredentialsError("nobody is logged in")

    monkeypatch.setattr("google.cloud.storage.Client", nobody)
    assert seen(made) is None, "who sees no bucket knows nothing of it"
