"""What every section of a job file is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler


class Section(BaseModel):
    """Base of all sections: frozen, unknown keys are errors, and nothing is converted silently.

    Plugins derive their own sections from it, and describe every field with `Field(description=...)`.
    """

    # Built when first used: a section is mostly used as a part of the whole file, and built again with it.
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        defer_build=True,
    )


def expecting(what: str) -> Expectation:
    """Replace the many errors of a union by one sentence.

    For example `Annotated[Literal["all"] | int, expecting('"all" or a number')]`.

    Args:
        what: What is accepted, to be read after `expected`.
    """
    return Expectation(what)


@dataclass(frozen=True, slots=True)
class Expectation:
    """The annotation that `expecting` makes."""

    what: str
    """What is accepted."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.custom_error_schema(
            handler(source),
            custom_error_type="expected",
            custom_error_message="{what}",
            custom_error_context={"what": self.what},
        )


def wrong(reason: str) -> PydanticCustomError:
    """Return what a validator raises to say, in these words, why a value is not accepted."""
    return PydanticCustomError("wrong", "{reason}", {"reason": reason})
