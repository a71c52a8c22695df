"""Forms: what the documents of a record are. Three are built in, all others are functions of somebody else's.

A function gets the record, the number of the record, and the job's options by name. It returns documents: a
text, a conversation (a list of messages) or token ids each; none, one or several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .seen import Seen

if TYPE_CHECKING:
    from .source import Record

Form = Callable[["Record", int], Iterable[Any]]
"""A record and its number, from 0, to its documents; raises `InputError`."""
BUILT_IN = {
    "text": "one document: the text in `field`",
    "chat": "one document: the conversation in `field`, for the tokenizer's chat template",
    "tokens": "one document: the token ids in `field`",
}
"""Names of forms, and what they make of a record."""


@dataclass(frozen=True, slots=True)
class Field:
    """One document: what is in a field of the record.

    Attributes:
        name: Of the field.
        form: Which of `BUILT_IN`.
    """

    name: str
    form: str

    def __call__(self, record: Record, _number: int) -> tuple[Any, ...]:
        """See `Form`."""
        if self.name not in record:
            raise InputError(f"there is no {self.name!r}; there are {', '.join(record)}")
        value = record[self.name]
        if not isinstance(value, str if self.form == "text" else list):
            raise InputError(f"{self.name}: expected {self.form}, got {type(value).__name__}")
        return (value,)


@dataclass(frozen=True, slots=True)
class Function:
    """Documents that a function of somebody else's makes.

    Attributes:
        name: What the job file calls it.
        make: The function.
        options: Of the job file.
    """

    name: str
    make: Callable[..., Iterable[Any]]
    options: Mapping[str, Any]

    def __call__(self, record: Record, number: int) -> list[Any]:
        """See `Form`; whatever the function raises becomes an error that names the key it looked at last."""
        seen = Seen(record)
        try:
            found = self.make(seen, number, **self.options)
            documents = found if isinstance(found, str | Mapping) or found is None else list(found)
        except Exception as error:
            raise InputError(f"form {self.name}: {seen.why(error)}") from error
        if isinstance(documents, list):
            return documents
        got = type(documents).__name__
        raise InputError(f"form {self.name}: expected a list of documents, got {got}; for one, return [it]")
