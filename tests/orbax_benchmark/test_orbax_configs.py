from __future__ import annotations

from pathlib import Path

import pytest

from tpuherd_orbax_benchmark.worker.configs import UnknownConfigError, resolve, shipped_configs

FILES = (
    "configs/pytree_checkpoint_benchmark.yaml",
    "configs/checkpoint_policy_benchmark.yaml",
    "configs/evaluations/model_sizes/llama-8b.yaml",
    "configs/evaluations/model_sizes/llama-70b.yaml",
    "safetensors/configs/llama3-8b.yaml",
    "orbax_load/configs/llama3-8b.yaml",
    "xpk/cpc.yaml",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / "harness" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("suite_name: x\n")
    return tmp_path / "harness"


def test_names_leave_out_the_configs_folders_and_other_yaml_files(root: Path) -> None:
    assert set(shipped_configs(root)) == {
        "pytree_checkpoint_benchmark",
        "checkpoint_policy_benchmark",
        "evaluations/model_sizes/llama-8b",
        "evaluations/model_sizes/llama-70b",
        "safetensors/llama3-8b",
        "orbax_load/llama3-8b",
    }


@pytest.mark.parametrize(
    ("asked", "file"),
    [
        ("pytree_checkpoint_benchmark", FILES[0]),
        ("pytree_checkpoint_benchmark.yaml", FILES[0]),
        ("configs/pytree_checkpoint_benchmark.yaml", FILES[0]),
        ("evaluations/model_sizes/llama-8b", FILES[2]),
        ("llama-8b", FILES[2]),
        ("safetensors/configs/llama3-8b.yaml", FILES[4]),
    ],
)
def test_shipped_config_is_found_by_name(root: Path, asked: str, file: str) -> None:
    assert resolve(asked, root) == str(root / file)


def test_own_file_wins_over_a_shipped_name(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pytree_checkpoint_benchmark").write_text("suite_name: mine\n")
    assert resolve("pytree_checkpoint_benchmark", root) == "pytree_checkpoint_benchmark"


def test_url_is_passed_on(root: Path) -> None:
    assert resolve("gs://bucket/mine.yaml", root) == "gs://bucket/mine.yaml"


def test_unknown_name_is_answered_with_the_nearest_first(root: Path) -> None:
    with pytest.raises(UnknownConfigError, match="nearest: pytree_checkpoint_benchmark, "):
        resolve("pytree_chekpoint_bench", root)


def test_nearest_looks_at_the_last_part_too(root: Path) -> None:
    with pytest.raises(UnknownConfigError, match="nearest: evaluations/model_sizes/llama-70b, "):
        resolve("lama-70b", root)


def test_ambiguous_name_lists_all(root: Path) -> None:
    with pytest.raises(UnknownConfigError, match="orbax_load/llama3-8b, safetensors/llama3-8b"):
        resolve("llama3-8b", root)


def test_without_orbax_only_files_are_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownConfigError, match="no orbax-checkpoint"):
        resolve("pytree_checkpoint_benchmark", None)
