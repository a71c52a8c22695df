"""What an extraction would do, as far as it can be known from here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import ConfigError, PlanStep
from tpuherd.model.plan import RestartSigns
from tpuherd_activations.checking import check_form
from tpuherd_activations.config import ActivationsSection
from tpuherd_activations.uploading import local_folder

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec

SIGNS = RestartSigns(restored=r"attempt \d+ goes on where \d+ of \d+ shards", kill_at="log=tpuherd: shard")


def steps(spec: JobSpec, base_directory: Path) -> list[PlanStep]:
    """What would run.

    Args:
        spec: The job.
        base_directory: Where relative paths of its file begin.

    Raises:
        ConfigError: the dataset would have no place that all workers see, there is no such form, or a folder
            that is on this machine is no checkpoint, has no documents, or has no such hooks.
    """
    section = spec.section(ActivationsSection)
    if spec.output.directory is None and spec.cloud != "emulator":
        raise ConfigError(
            "output.directory: workers make one dataset together: "
            "write a gs:// address, or the path of a mount that every worker has"
        )
    check_form(spec, section, base_directory)
    action = f"{', '.join(section.hooks)} of {section.model} over {section.input}"
    documents = _local_input(section, base_directory)
    about = _estimated(spec, section, documents)
    action += f": {about}" if about else ""
    return [
        *_upload(section, documents),
        PlanStep(stage="run_workload", where="every worker", action=action, restart=SIGNS),
        PlanStep(stage="collect", where="worker 0", action="totals of the dataset; totals.json"),
    ]


def _local_input(section: ActivationsSection, base_directory: Path) -> Path | None:
    """Where documents of this machine are, if the job has such."""
    if section.local_input is None:
        return None
    folder = local_folder(section.local_input, base_directory)
    if not folder.is_dir():
        raise ConfigError(f"activations.local_input: {folder}: there is no such folder")
    return folder


def _upload(section: ActivationsSection, documents: Path | None) -> list[PlanStep]:
    if documents is None:
        return []
    action = f"spread {documents} over {section.streams} files in {section.input}, unless they are there"
    return [PlanStep(stage="provision", where="this machine", action=action)]


def _estimated(spec: JobSpec, section: ActivationsSection, documents: Path | None) -> str:
    """In words; empty if model or input cannot be seen from here."""
    model, source = _here(spec, "model", section.model), documents or _here(spec, "input", section.input)
    if model is None or source is None:
        return ""
    from tpuherd_activations.surveying import survey

    return survey(spec, section, Path(), documents).told()  # nothing has to be fetched


def _here(spec: JobSpec, key: str, address: str) -> Path | None:
    """The folder on this machine, whose files the workers of the emulated cloud see; `~` is the workers'."""
    folder = Path(address)
    if not folder.is_absolute():
        return None
    if folder.is_dir():
        return folder
    if spec.cloud == "emulator":
        raise ConfigError(f"activations.{key}: {folder}: there is no such folder")
    return None
