from __future__ import annotations

import pytest
from job_files import MINIMAL, SECTIONS

from tpuherd.config.load import load_job, load_text
from tpuherd.config.schema import json_schema
from tpuherd.errors import ConfigError


def message(folder, text, *overrides, name="job.yaml"):
    with pytest.raises(ConfigError) as caught:
        folder.load(text, *overrides, name=name)
    return str(caught.value).replace(f"{folder.path}/", "")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("tpu: {acelerator: v4-8, zone: us-central2-b}",
         "job.yaml:1: tpu.acelerator: unknown key; did you mean 'accelerator'? valid: allocation_mode"),
        ("tpu: {zone: us-central2-b}", "job.yaml:1: tpu.accelerator: is required: Type and size"),
        ("job: {loop: true}", "job.yaml: tpu: is required"),
        ("tpu:", "job.yaml:1: tpu: is required"),
        ("tpu: 3", "job.yaml:1: tpu: expected a section with keys, found 3"),
        (MINIMAL + "commnd: {}", "job.yaml:2: commnd: unknown key; did you mean 'command'? valid: job"),
        (MINIMAL + "job: {name: 3}", "job.yaml:2: job.name: expected text (put it in quotes), found 3"),
        (MINIMAL + "job: {name: a/b}", "job.name: expected letters, digits, dots, hyphens and underscores"),
        (MINIMAL + "job: {loop: 'yes'}", "job.loop: expected true or false, found 'yes'"),
        (MINIMAL + "job: {environment: {A: 1}}", "job.environment: unknown key; its variables belong"),
        (MINIMAL + "timeouts: {grace_s: soon}", "timeouts.grace_s: expected a number, found 'soon'"),
        (MINIMAL + "timeouts: {grace_s: .nan}", "timeouts.grace_s: expected a finite number"),
        (MINIMAL + "timeouts: {grace_s: null}", "timeouts.grace_s: expected a number, found nothing"),
        (MINIMAL + "timeouts: {workload_s: 0}", "expected a number greater than 0, found 0"),
        (MINIMAL + "recovery: {policy: 1.5}", "recovery.policy: expected text (put it in quotes), found 1.5"),
        (MINIMAL + "ssh:\n  identities:\n  - privat_key: x",
         "job.yaml:4: ssh.identities[0].privat_key: unknown key; did you mean 'private_key'?"),
        (MINIMAL + "docker: {flags: []}", "job.yaml:2: docker.image: is required"),
        (MINIMAL + "env: {A-B: 1}", "env: 'A-B' is no name of a variable"),
        (MINIMAL + "env: {A: [1]}", "env.A: expected text, a number, true, false, {env: NAME} or {file"),
        (MINIMAL + "env: {A: {env: B, file: C}}", "env.A: expected text, a number, true, false, {env: NAME}"),
        (MINIMAL + "env: {A: {}}", "env.A: expected text, a number"),
        (MINIMAL + "command: {cmd: x, workers: [a]}", 'command.workers: expected "all", a number or a list'),
        (MINIMAL + "? [a]\n: b", "job.yaml:2: a key has to be a plain word"),
        (MINIMAL + "cloud: !custom x", "job.yaml:2: cloud: tag '!custom' is not accepted"),
    ],
)  # fmt: skip
def test_keys_and_values(folder, lines, expected):
    assert expected in message(folder, lines)


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("tpu.zoen=x", "override: tpu.zoen: unknown key; did you mean 'zone'?"),
        ("tpu.pricing=spto", "override: tpu.pricing: 'spto'; did you mean 'spot'? valid: ondemand, spot"),
        ("tpu.zone=us-central2", "tpu.zone: expected a zone, for example us-central2-b (a region"),
        ("tpu.slices=0", "tpu.slices: expected a number greater than or equal to 1, found 0"),
        ("tpu.accelerator=v4-9", "accelerator 'v4-9' does not exist; nearest: v4-8 and v4-16"),
        ("tpu.accelerator=v4-0", "accelerator 'v4-0' does not exist; nearest: v4-8"),
        ("tpu.flags=[--network=x, --foo]",
         "instead of --network write tpu.network; there is no key for '--foo', leave it out"),
        ("tpu.name='{usr}-x'", "tpu.name: {usr} is unknown in a name; did you mean 'user'? valid: user"),
        ("tpu.tags=[A b]", "'A b' is no network tag"),
        ("tpu.labels={Team: x}", "Team: 'x' is no label"),
        ("tpu.zone.x=1", "override: tpu.zone.x: tpu.zone is no section, so it has no keys"),
        ("tpu", "override: tpu: expected KEY=VALUE"),
        ("=x", "override: expected KEY=VALUE"),
        ("tpu..zone=x", "expected KEY=VALUE"),
        ("tpu.tags=[a", "override: tpu.tags: the value is not valid YAML"),
        ("tpu.name=${tpu.acelerator}", "is not in this file; did you mean ${tpu.accelerator}?"),
        ("tpu.name=${tpu.name}", "tpu.name: Recursive interpolation"),
        ("tpu.name=a-${", r"a `${` in it starts no reference; for a shell variable write $NAME or \${NAME}"),
        ("tpu.network=${nope:x}", "Unsupported interpolation type nope"),
    ],
)  # fmt: skip
def test_overrides(folder, override, expected):
    text = "tpu:\n  accelerator: v4-8\n  zone: us-central2-b\n"
    assert expected in message(folder, text, override)


def test_all_problems_at_once_in_the_order_of_the_file(folder):
    text = """\
    job:
      nam: x
    tpu:
      accelerator: v5e-17
      zone: us-west4
      pricing: ${tpu.prcing}
    env:
      HF_TOKEN: abc
    env:
      B: 1
    """
    lines = message(folder, text, "tpu.slices=0").splitlines()
    assert [line.split(": ")[:2] for line in lines] == [
        ["override", "tpu.slices"],
        ["job.yaml:2", "job.nam"],
        ["job.yaml:4", "tpu.accelerator"],
        ["job.yaml:5", "tpu.zone"],
        ["job.yaml:6", "tpu.pricing"],
        ["job.yaml:9", "env"],
    ]
    assert "the key is there twice, first in line 7" in lines[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "job.yaml: the file is empty; a job needs at least tpu.accelerator and tpu.zone"),
        ("# nothing\n", "job.yaml: the file is empty"),
        ("- a\n", "job.yaml: the top level is a list; expected sections"),
        ("hello\n", "job.yaml: the top level is a single value"),
        ("tpu:\n  zone: [a\njob: x\n", "job.yaml:3:"),
        ("tpu:\n\tzone: a\n", "job.yaml:2:1: not valid YAML"),
        ("a: 1\n---\nb: 1\n", "not valid YAML"),
        ("a: &a [*a]\n", "job.yaml:1: aliases (`*name`) repeat themselves without end"),
        ("a: *b\n", "not valid YAML: found undefined alias"),
        ("a: \x01\n", "not valid YAML"),
    ],
)
def test_no_job_file_at_all(folder, text, expected):
    assert expected in message(folder, text)


def test_deep_nesting(folder):
    assert "nested too deeply" in message(folder, "[" * 3000 + "]" * 3000)


def keys_of(schema, section=None, prefix=""):
    """All dotted keys of a job file, read from its schema."""
    for name, value in (section or schema)["properties"].items():
        yield prefix + name
        for choice in [value, *value.get("anyOf", [])]:
            if "$ref" in choice:
                inner = schema["$defs"][choice["$ref"].rpartition("/")[2]]
                yield from keys_of(schema, inner, f"{prefix}{name}.")


@pytest.mark.parametrize(
    "value",
    ["null", "3", "-1.5", ".inf", "''", "text", "true", "[]", "[[1]]", "{}", "{a: {b: 1}}", "2020-01-01",
     r'"\ud800"', "${tpu.zone}", "${tpu}", "${}", "$", "{env: A}", "!!binary aGk=", "!!set {a}",
     "? [a]\n: b"],
)  # fmt: skip
def test_any_value_at_any_key_is_accepted_or_explained(folder, value):
    keys = list(keys_of(json_schema(SECTIONS)))
    assert "ssh.identities" in keys
    explained = {}
    for key in keys:
        try:
            load_text(MINIMAL, folder.path / "job.yaml", SECTIONS, [f"{key}={value}"])
        except ConfigError as error:
            explained[key] = str(error)
    assert explained
    assert [key for key, text in explained.items() if f": {key.partition('.')[0]}" not in text] == []


def test_multiplying_aliases_end_early(folder):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert "repeat themselves" in message(folder, "\n".join(lines))


def test_missing_file(folder):
    folder.write(MINIMAL, "train.yaml")
    folder.write(MINIMAL, "eval.yml")
    with pytest.raises(
        ConfigError,
        match=r"trian\.yaml: there is no such file; did you mean 'train\.yaml'\? valid: eval\.yml, train",
    ):
        load_job(folder.path / "trian.yaml", SECTIONS)


def test_missing_folder(folder):
    with pytest.raises(ConfigError, match=r"there is no folder .*nope either"):
        load_job(folder.path / "nope" / "job.yaml", SECTIONS)


def test_a_folder_is_no_file(folder):
    with pytest.raises(ConfigError, match="is a folder, expected a job file; there are no YAML files in"):
        load_job(folder.path, SECTIONS)


def test_a_binary_is_no_file(folder):
    (folder.path / "job.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="is not UTF-8 text"):
        load_job(folder.path / "job.yaml", SECTIONS)
