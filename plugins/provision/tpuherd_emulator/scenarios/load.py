"""From a scenario file to a checked scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_emulator.scenarios.model import Scenario

if TYPE_CHECKING:
    from pathlib import Path


def load(path: Path) -> Scenario:
    """Read and check a scenario file.

    Raises:
        ConfigError: Something is wrong with it; one line per problem, with file, line, key and what is
            expected.
    """
    from pydantic import ValidationError

    from tpuherd.config.document import parse
    from tpuherd.config.files import read_job_file
    from tpuherd.config.problems import refuse
    from tpuherd.config.validation import explain

    document = parse(read_job_file(path), str(path))
    try:
        scenario = Scenario.model_validate(document.data)
    except ValidationError as error:
        document.problems.extend(explain(error, Scenario, document))
    refuse(document.problems)
    return scenario
