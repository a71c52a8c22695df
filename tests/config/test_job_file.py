from __future__ import annotations

import pytest
from job_files import GET_STARTED, MINIMAL, SECTIONS, Command, Venv
from pydantic import Field, field_validator

from tpuherd.config.load import load_job, load_text
from tpuherd.config.section import ConfigSection
from tpuherd.config.sections import Section
from tpuherd.errors import ConfigError, PluginError


def test_minimal(folder):
    loaded = folder.minimal()
    spec = loaded.spec
    assert (spec.job.name, spec.job.env_type, spec.cloud, spec.code.sync) == ("job", "host", "google", "none")
    assert (spec.tpu.slices, spec.tpu.external_ips, spec.tpu.pricing) == (1, True, "ondemand")
    assert spec.tpu.runtime_version == "tpu-ubuntu2204-base"
    assert spec.tpu.shape.workers == 1
    assert loaded.base_directory == folder.path
    assert loaded.text == MINIMAL
    assert loaded.notes == spec.pending() == ()


def test_jobman_get_started_loads_unchanged(folder):
    spec = folder.load(GET_STARTED).spec
    assert spec.tpu.name == "yufeng-v4-128"
    assert spec.tpu.tags == ("jobman", "experiment")
    assert spec.ssh.identities[1].config_entry.startswith("Host github.com\n")
    assert spec.docker.flags == ("--privileged", "--network=host")
    assert spec.section(Command).workers == (0,)
    assert spec.section(Venv).python == "python3.9"
    assert spec.pending() == ("job.loop", "gcsfuse", "ssh", "docker")


def test_sections_of_other_environments_are_not_pending(folder):
    spec = folder.load(GET_STARTED, "job.env_type=conda", "job.loop=false", "gcsfuse=null").spec
    assert spec.pending() == ("ssh", "conda")


def test_a_plugin_that_carries_a_section_out_ends_its_pending(folder):
    class Ssh(Section):
        private_key: str

    mine = ConfigSection(name="ssh", model=Ssh, description="Keys.")
    file = folder.write(MINIMAL + "ssh: {private_key: ~/.ssh/id}\n")
    spec = load_job(file, [mine]).spec
    assert spec.pending() == ()
    assert spec.section(Ssh).private_key == "~/.ssh/id"


def test_what_jobman_writes_back_is_ignored_with_a_note(folder):
    written = """\
    job: {id: '000012', user: me, dir: /x}
    tpu: {accelerator: v4-8, zone: us-central2-b, ips: [{internal_ip: 1}], num_workers: 4}
    """
    loaded = folder.load(written)
    assert [note.split(": ")[1] for note in loaded.notes] == [
        "job.id", "job.user", "job.dir", "tpu.ips", "tpu.num_workers",
    ]  # fmt: skip
    assert loaded.digest == folder.minimal().digest


def test_jobman_null_flags(folder):
    assert folder.minimal("tpu.flags=null").spec.tpu.flags is None
    assert folder.minimal("tpu.flags=[]").spec.tpu.flags == ()


def test_name_comes_from_the_file(folder):
    assert folder.load(MINIMAL, name="my run (2).yaml").spec.job.name == "my-run-2-"
    assert folder.load(MINIMAL + "job:\n", name="eight.yml").spec.job.name == "eight"


def test_names_of_tpus_fit_the_api(folder):
    tpu = folder.minimal().spec.tpu
    assert tpu.name_for("Anna.B", "run_1") == "anna-b-run-1"
    assert tpu.name_for("7up", "x" * 80) == ("t-7up-" + "x" * 80)[:53]


def test_interpolation(folder):
    spec = folder.minimal(
        "tpu.name=${job.name}-${tpu.accelerator}", "output.directory=gs://b/${tpu.name}"
    ).spec
    assert spec.tpu.name == "job-v4-8"
    assert spec.output.directory == "gs://b/job-v4-8"


def test_escaped_shell_variables_stay(folder):
    text = MINIMAL + "command:\n  cmd: echo $HOME \\${HOME} ${tpu.zone}\n"
    assert folder.load(text).spec.section(Command).cmd == "echo $HOME ${HOME} us-central2-b"


def test_overrides_win_and_are_typed(folder):
    loaded = folder.minimal(
        "tpu.zone=us-east1-d", "job.loop=true", "tpu.tags=[a, b]", "env.A={env: B}", "tpu.slices=2"
    )
    assert loaded.spec.tpu.zone == "us-east1-d"
    assert loaded.spec.job.loop is True
    assert loaded.spec.tpu.tags == ("a", "b")
    assert loaded.spec.env["A"].env == "B"
    assert loaded.spec.tpu.slices == 2
    assert folder.minimal("command.cmd=a=b").spec.section(Command).cmd == "a=b"


def test_digest_is_about_meaning(folder):
    first = folder.minimal().digest
    assert folder.load("# other layout\ntpu:\n  zone: us-central2-b\n  accelerator: v4-8\n").digest == first
    assert load_job(folder.write(MINIMAL), ()).digest == first
    assert folder.minimal("tpu.slices=2").digest != first


def test_merge_keys_and_aliases_work(folder):
    text = "tpu: {accelerator: v4-8, zone: us-central2-b, metadata: &m {a: b}, labels: {<<: *m, c: d}}\n"
    assert folder.load(text).spec.tpu.labels == {"a": "b", "c": "d"}


def test_dates_are_text(folder):
    assert folder.load(MINIMAL + "env: {DAY: 2026-11-20}\n").spec.env["DAY"] == "2026-11-20"


def test_startup_script_has_to_exist(folder):
    with pytest.raises(ConfigError, match=r"job\.yaml: tpu\.startup_script: there is no file .*boot\.sh"):
        folder.load("tpu: {accelerator: v4-8, zone: us-central2-b, startup_script: boot.sh}\n")
    script = folder.write("echo\n", "boot.sh")
    loaded = folder.minimal("tpu.startup_script=boot.sh")
    script.unlink()
    later = load_text(loaded.text, loaded.path, SECTIONS, ["tpu.startup_script=boot.sh"])
    assert later == loaded
    script.write_text("")
    assert folder.minimal("tpu.startup_script=boot.sh").spec.tpu.startup_script.name == "boot.sh"


def test_a_section_that_is_missing(folder):
    spec = folder.minimal().spec
    assert spec.section(Venv) == Venv()
    with pytest.raises(ConfigError, match=r"section 'command' is missing; required: command\.cmd"):
        spec.section(Command)


def test_a_section_of_no_plugin(folder):
    spec = load_job(folder.write(MINIMAL), ()).spec
    with pytest.raises(PluginError, match="no installed plugin contributes a section of type Command"):
        spec.section(Command)


@pytest.mark.parametrize("name", ["tpu", "section", "model_dump", "env", "copy"])
def test_plugins_cannot_claim_what_belongs_to_core(folder, name):
    mine = ConfigSection(name=name, model=Venv, description="x")
    with pytest.raises(PluginError, match=f"Venv claims section '{name}', which belongs to core"):
        load_job(folder.write(MINIMAL), [mine])


def test_what_a_plugins_own_validator_says(folder):
    class Even(Section):
        number: int = Field(2, description="Even.")

        @field_validator("number")
        @classmethod
        def _is_even(cls, value):
            if value % 2:
                raise ValueError("it has to be even, really")
            return value

    even = ConfigSection(name="even", model=Even, description="Even.")
    with pytest.raises(ConfigError, match=r"job\.yaml:2: even\.number: it has to be even, really$"):
        load_job(folder.write(MINIMAL + "even: {number: 3}\n"), [even])


def test_two_plugins_cannot_claim_one_name(folder):
    other = ConfigSection(name="venv", model=Command, description="x")
    with pytest.raises(
        PluginError, match=r"job_files\.Venv and job_files\.Command both claim section 'venv'"
    ):
        load_job(folder.write(MINIMAL), [*SECTIONS, other])


def test_spec_is_frozen(folder):
    spec = folder.minimal().spec
    with pytest.raises(ValueError, match="frozen"):
        spec.tpu.zone = "x"
