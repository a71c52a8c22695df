"""What users do with libraries that tpuherd itself does without: datasets, torch, jax, chat templates."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
for folder in ("core", "plugins/workloads", "tests/activations"):
    sys.path.insert(0, str(ROOT / folder))

import extracting  # noqa: E402 - the folders above

import tpuherd_activations  # noqa: E402
from tpuherd_activations.exporting import to_huggingface  # noqa: E402
from tpuherd_activations.worker.errors import InputError, PlaceError  # noqa: E402
from tpuherd_activations.worker.input.encoding import Encoder  # noqa: E402
from tpuherd_activations.worker.input.forms import Field  # noqa: E402

RESID, Z = (hook.name for hook in extracting.HOOKS)
TEMPLATE = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    extracting.write(folder / "in/a.jsonl", extracting.documents())
    return tpuherd_activations.open(extracting.extract(str(folder / "in"), str(folder / "out")))


def test_hugging_face_columns_are_those_of_saelens(dataset, tmp_path):
    datasets = pytest.importorskip("datasets")
    told = []
    left = to_huggingface(dataset, tmp_path / "hf", 64, tell=told.append)
    found = datasets.load_from_disk(str(tmp_path / "hf")).with_format("numpy")
    assert left == len(dataset) % 64
    assert told[-1] == len(dataset) - left
    assert set(found.column_names) == {RESID, Z, "token_ids"}
    rows = dataset.take(np.arange(64, 128))
    assert np.array_equal(found[1][RESID], rows.activations[RESID])
    assert np.array_equal(found[1][Z], rows.activations[Z].reshape(64, 6))
    assert np.array_equal(found[1]["token_ids"], rows.token_ids)
    with pytest.raises(PlaceError, match="it is there already"):
        to_huggingface(dataset, tmp_path / "hf", 64)
    assert [path.name for path in tmp_path.iterdir()] == ["hf"], "nothing temporary stays"


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_frameworks_get_bfloat16_as_it_is_stored(dataset, framework):
    plain = list(dataset.batches(500, seed=3))
    for mine, batch in zip(plain, dataset.batches(500, seed=3, framework=framework), strict=True):
        assert "bfloat16" in str(batch.activations[RESID].dtype)
        assert "float32" in str(batch.activations[Z].dtype)
        assert np.array_equal(batch.token_ids, mine.token_ids)
        for hook in (RESID, Z):
            found = batch.activations[hook]
            values = found.float().numpy() if framework == "torch" else np.asarray(found, np.float32)
            assert np.array_equal(values, mine.activations[hook])


def test_conversations_go_through_the_template_of_a_real_tokenizer(tmp_path):
    from transformers import AutoTokenizer

    subprocess.run([sys.executable, ROOT / "examples/activations/make_input.py", tmp_path], check=True)
    about = tmp_path / "model/tokenizer_config.json"
    record = {"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "you"}]}

    def encoder():
        tokenizer = AutoTokenizer.from_pretrained(str(tmp_path / "model"), local_files_only=True)
        return Encoder(tokenizer, Field("messages", "chat"), 100, "drop", 257)

    with pytest.raises(InputError, match=r"the chat template: ValueError: .*chat_template is not set"):
        encoder()(record, 0)
    about.write_text(json.dumps(json.loads(about.read_text()) | {"chat_template": f"<s>{TEMPLATE}"}))
    (found,) = encoder()(record, 7)
    assert found.ids[0] == 256
    assert bytes(found.ids[1:].tolist()) == b"user: hello\nassistant: you\n"
    assert found.kept.tolist() == [False] + [True] * (len(found.ids) - 1)
    assert found.record == 7


def test_code_that_comes_with_a_checkpoint_is_not_run(tmp_path):
    from tpuherd_activations_worker.work.decoding import decoder_of
    from tpuherd_activations_worker.work.settings import Settings

    subprocess.run([sys.executable, ROOT / "examples/activations/make_input.py", tmp_path], check=True)
    folder = tmp_path / "model"
    ran = tmp_path / "it-ran"
    code = f"import pathlib\npathlib.Path({str(ran)!r}).touch()\nclass Mine:\n    pass\n"
    (folder / "custom.py").write_text(code)
    for name in ("config.json", "tokenizer_config.json"):
        about = json.loads((folder / name).read_text())
        about["auto_map"] = {"AutoTokenizer": ["custom.Mine", "custom.Mine"], "AutoConfig": "custom.Mine"}
        (folder / name).write_text(json.dumps(about))
    settings = Settings(
        model=str(folder), hooks=("hook_embed",), input=str(tmp_path), output=str(tmp_path / "out")
    )
    (found,) = decoder_of(settings, tmp_path).encoder({"text": "hello"}, 0)
    assert bytes(found.ids[1:].tolist()) == b"hello"
    assert not ran.exists()
