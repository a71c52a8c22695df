"""One model of a whole job file: core's sections and those of the installed plugins."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from tpuherd.config.spec import RESERVED, JobSpec
from tpuherd.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.config.section import ConfigSection


def job_model(sections: Sequence[ConfigSection]) -> type[JobSpec]:
    """Return `JobSpec` with one more optional key for every plugin's section.

    Raises:
        PluginError: Two plugins claim one name, or one claims a name of core.
    """
    return _job_model(tuple(sections))


@lru_cache(maxsize=8)
def _job_model(sections: tuple[ConfigSection, ...]) -> type[JobSpec]:
    _check_names(sections)
    fields: dict[str, Any] = {
        section.name: (section.model | None, Field(None, description=section.description))
        for section in sections
    }
    model = create_model("JobFile", __base__=JobSpec, __doc__=JobSpec.__doc__, **fields)
    model.installed = sections
    return model


def _check_names(sections: tuple[ConfigSection, ...]) -> None:
    claimed: dict[str, ConfigSection] = {}
    for section in sections:
        if section.name in claimed:
            others = f"{_origin(claimed[section.name])} and {_origin(section)}"
            raise PluginError(
                f"{others} both claim section '{section.name}' of the job file; disable one plugin"
            )
        claimed[section.name] = section
        _check_name(section)


def _check_name(section: ConfigSection) -> None:
    taken = hasattr(JobSpec, section.name) or section.name in JobSpec.model_fields
    if not section.name.isidentifier() or section.name.startswith("_"):
        raise PluginError(f"{_origin(section)} claims section '{section.name}', which is no plain name")
    if taken and section.name not in RESERVED:
        raise PluginError(f"{_origin(section)} claims section '{section.name}', which belongs to core")


def _origin(section: ConfigSection) -> str:
    return f"{section.model.__module__}.{section.model.__qualname__}"
