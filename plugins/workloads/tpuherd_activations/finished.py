"""Whether a job's dataset is there, whole, before anybody makes it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tpuherd import FinishedWork
from tpuherd_activations.checking import form_file
from tpuherd_activations.config import ActivationsSection
from tpuherd_activations.launching import output_directory, settings_of
from tpuherd_activations.looking import architecture_of, place_of
from tpuherd_activations.totals import told
from tpuherd_activations.uploading import local_folder
from tpuherd_activations.worker.errors import DatasetError, ModelError
from tpuherd_activations.worker.hooks import choose
from tpuherd_activations.worker.input.functions import digest_of_source
from tpuherd_activations.worker.input.reading import all_records
from tpuherd_activations.worker.input.streams import holds_streams
from tpuherd_activations.worker.output import layout
from tpuherd_activations.worker.output.finishing import totals_of
from tpuherd_activations.worker.places import open_place
from tpuherd_activations.worker.places.folder import Folder
from tpuherd_activations.worker.work.checkpoints import fingerprint
from tpuherd_activations.worker.work.content import identified
from tpuherd_activations.worker.work.decoding import content_of

if TYPE_CHECKING:
    from tpuherd import Cloud
    from tpuherd.config.spec import JobSpec
    from tpuherd_activations.worker.places import Place
    from tpuherd_activations.worker.work.content import Content


def find(spec: JobSpec, base_directory: Path, cloud: Cloud) -> FinishedWork | None:
    """The dataset of a job, if it is finished and can be seen from here.

    Its folder is named by all that decides about its bytes, so no other dataset is taken for it.
    """
    section, output = spec.section(ActivationsSection), output_directory(spec, cloud)
    if any(address.startswith("~") for address in (section.model, section.input, output)):
        return None  # of the workers' home
    try:
        place = _place(spec, section, base_directory, cloud, output)
        totals = totals_of(place) if place is not None else None
        if totals is None or not _agrees(section, base_directory, cloud):
            return None
    except (DatasetError, ModelError, OSError):  # something is not there, or not for us to see
        return None
    return FinishedWork(address=totals["address"], summary=f"the dataset is complete: {told(totals)}")


def _place(
    spec: JobSpec, section: ActivationsSection, base_directory: Path, cloud: Cloud, output: str
) -> Place | None:
    """Where it would be; `None` if there is no finished one at all, or the form's code is not here."""
    above = place_of(output, cloud)
    if isinstance(above, Folder) and not any(above.root.glob(f"*/{layout.DATASET}")):
        return None  # before whole checkpoints are read
    source = _form_source(spec, section, base_directory)
    if source is None:
        return None
    content = _content(section, place_of(section.model, cloud), source)
    return place_of(f"{output}/{identified(content, place_of(section.input, cloud)).digest}", cloud)


def _content(section: ActivationsSection, model: Place, form_source: str) -> Content:
    with TemporaryDirectory(prefix="tpuherd-activations-") as scratch:
        architecture = architecture_of(model, Path(scratch))
    taps = choose(architecture, section.hooks)
    return content_of(settings_of(section), architecture, taps, fingerprint(model), form_source)


def _form_source(spec: JobSpec, section: ActivationsSection, base_directory: Path) -> str | None:
    """What stands for the code of the form, as workers have it; `None` if only they do."""
    if section.built_in_form:
        return ""
    file = form_file(spec, section, base_directory)
    return None if file is None else digest_of_source(file)


def _agrees(section: ActivationsSection, base_directory: Path, cloud: Cloud) -> bool:
    """Whether `input` holds what is in `local_input` now."""
    if section.local_input is None:
        return True
    records = all_records(open_place(str(local_folder(section.local_input, base_directory))))
    return holds_streams(place_of(section.input, cloud), records, section.streams)
