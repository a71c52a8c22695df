"""The JSON Schema of a job file, for editors and for the reference documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.config.assemble import job_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.config.section import ConfigSection

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(sections: Sequence[ConfigSection]) -> dict[str, Any]:
    """Return the schema of a whole job file, with the sections of these plugins.

    Raises:
        PluginError: The sections contradict each other.
    """
    schema = job_model(sections).model_json_schema()
    return {"$schema": DIALECT, **schema, "title": "tpuherd job file"}
