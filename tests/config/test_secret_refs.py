from __future__ import annotations

import pytest
from job_files import MINIMAL

from tpuherd.config.secrets import SecretRef, looks_secret, resolve, variables
from tpuherd.errors import ConfigError


@pytest.mark.parametrize(
    "name",
    [
        "WANDB_API_KEY",
        "HF_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "apiKey",
        "OPENAI_APIKEY",
        "ACCESSTOKEN",
    ],
)
def test_names_of_secrets(name):
    assert looks_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "TOKENIZERS_PARALLELISM",
        "MAX_TOKENS",
        "MONKEY",
        "SSH_KEY_PATH",
        "PUBLIC_KEY",
        "KEYBOARD",
        "SECRET_NAME",
    ],
)
def test_names_of_other_things(name):
    assert not looks_secret(name)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("env: {WANDB_API_KEY: s3cr3t}", "env.WANDB_API_KEY"),
        ("docker: {image: x, env_vars: [A=b, HF_TOKEN=s3cr3t]}", "docker.env_vars[1]"),
        ("docker: {image: x, env_vars: [A=b]}\ncommand: {cmd: x}\nwandb: {api_key: s3cr3t}", "wandb.api_key"),
        ("command: {cmd: 'echo ${env.HF_TOKEN}'}\nenv: {HF_TOKEN: s3cr3t}", "env.HF_TOKEN"),
    ],
)
def test_plain_text_secrets_are_refused_and_not_repeated(folder, text, key):
    with pytest.raises(ConfigError) as caught:
        folder.load(MINIMAL + text)
    assert f"{key}: looks like a secret in plain text" in str(caught.value)
    assert "s3cr3t" not in str(caught.value)


def test_a_secret_in_an_override_is_not_repeated(folder):
    with pytest.raises(ConfigError) as caught:
        folder.minimal("env.HF_TOKEN=s3cr3t", "env.X=[s3cr3t", "env.DB_PASSWORD=[s3cr3t]")
    assert "s3cr3t" not in str(caught.value)


def test_secrets_cannot_be_interpolated(folder, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "s3cr3t")
    with pytest.raises(ConfigError) as caught:
        folder.minimal("command.cmd=login ${oc.env:HF_TOKEN}")
    assert "put `HF_TOKEN: {env: HF_TOKEN}` into the section env" in str(caught.value)
    assert "s3cr3t" not in str(caught.value)


def test_references_are_not_read_while_loading(folder, monkeypatch):
    monkeypatch.setenv("WANDB_API_KEY", "s3cr3t")
    loaded = folder.load(MINIMAL + "env: {WANDB_API_KEY: {env: WANDB_API_KEY}, HF_TOKEN: {file: nowhere}}")
    assert "s3cr3t" not in repr(loaded)
    assert "s3cr3t" not in loaded.spec.model_dump_json()
    assert resolve(loaded.spec.env["WANDB_API_KEY"], loaded.base_directory) == "s3cr3t"


def test_variables_of_a_process(folder):
    folder.write("abc\n", "token")
    loaded = folder.load(MINIMAL + "env: {A: 1, B: 1.5, C: true, D: x, HF_TOKEN: {file: token}}")
    found = variables(loaded.spec.env, loaded.base_directory)
    assert found == {"A": "1", "B": "1.5", "C": "true", "D": "x", "HF_TOKEN": "abc"}


@pytest.mark.parametrize(
    ("ref", "reason"),
    [
        (SecretRef(env="TPUHERD_TEST_UNSET"), "env.K: variable TPUHERD_TEST_UNSET is not set here"),
        (SecretRef(file="missing"), "env.K: cannot read .*missing: No such file"),
        (SecretRef(file="."), "env.K: cannot read .*: Is a directory"),
        (SecretRef(file="empty"), "env.K: .*empty is empty"),
        (SecretRef(file="binary"), "env.K: .*binary is not UTF-8 text"),
    ],
)
def test_secrets_that_cannot_be_read(folder, ref, reason):
    folder.write("", "empty")
    (folder.path / "binary").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=reason):
        variables({"K": ref}, folder.path)
