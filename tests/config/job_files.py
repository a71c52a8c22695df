"""Job files to test with, and the sections that plugins would contribute."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Annotated, Literal

from pydantic import Field

from tpuherd.config.load import LoadedJob, load_job
from tpuherd.config.section import ConfigSection
from tpuherd.config.sections import Section, expecting


class Command(Section):
    """What runs."""

    cmd: str = Field(description="Shell text.")
    workers: Annotated[Literal["all"] | int | tuple[int, ...], expecting('"all", a number or a list')] = (
        Field("all", description="Which workers.")
    )


class Venv(Section):
    """Where it runs."""

    name: str = Field("tpuherd", description="Name.")
    requirements_file: Path | None = Field(None, description="File.")
    python: str = Field("python3", description="Interpreter.")


SECTIONS = (
    ConfigSection(name="command", model=Command, description="A command."),
    ConfigSection(name="venv", model=Venv, description="A venv."),
)

MINIMAL = "tpu: {accelerator: v4-8, zone: us-central2-b}\n"


GET_STARTED = """
job:
  name: pretrain-llama3-8b-200b-tune
  env_type: docker # docker | conda | venv
  loop: true
tpu:
  allocation_mode: "queued-resources"    # tpu-vm | queued-resources
  accelerator: v4-128
  name: yufeng-${tpu.accelerator}
  zone: us-central2-b
  version: tpu-ubuntu2204-base
  pricing: spot
  # spot | ondemand | preemptible
  startup_script: null
  tags: ["jobman", "experiment"]
  metadata:
    owner: "yufeng"
    # owner can be used to map tpus to user I think
    purpose: "pretrain"
gcsfuse:
  bucket_name: llm_pruning_us_central2_b
  mount_path: /home/zephyr/gcs-bucket
ssh:
  private_key: ~/.ssh/id_rsa
  identities:
    - private_key: ~/.ssh/id_rsa
      public_key: ~/.ssh/id_rsa.pub
      config_entry: |
        Host 10.*
          IdentityFile ~/.ssh/id_rsa
          IdentitiesOnly yes
    - private_key: ~/.ssh/id_ed25519_github
      public_key: ~/.ssh/id_ed25519_github.pub
      config_entry: |
        Host github.com
          User git
          IdentityFile ~/.ssh/id_ed25519_github
          IdentitiesOnly yes
docker:
  image: yx3038/maxtext_base_image:latest
  env_vars:
    - HOME=/home/zephyr
  mount_dirs:
    - /home/zephyr
    - /dev
    - /run
    - /home/zephyr/.config/gcloud:/root/.config/gcloud
    # - /home/zephyr/.ssh:/root/.ssh
  workdir: /home/zephyr
  flags: ["--privileged", "--network=host"]
conda:
  name: fms
  config_file: assets/fms.yaml
venv:
  name: maxtext
  requirements_file: assets/requirements.txt
  python: "python3.9"
command:
  cmd: |
    pip show flax
    pip show jax
  workers: [0] # int | list | "all"
"""
"""All examples of jobman's GET_STARTED, put together."""


class Folder:
    """Writes and loads job files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, text: str, name: str = "job.yaml") -> Path:
        file = self.path / name
        file.write_text(dedent(text))
        return file

    def load(self, text: str, *overrides: str, name: str = "job.yaml") -> LoadedJob:
        return load_job(self.write(text, name), SECTIONS, overrides)

    def minimal(self, *overrides: str) -> LoadedJob:
        return self.load(MINIMAL, *overrides)
