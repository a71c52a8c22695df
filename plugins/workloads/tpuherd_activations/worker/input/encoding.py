"""From records to token ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .source import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """One document as tokens.

    Attributes:
        ids: [length], int32: what goes through the model.
        kept: [length], whether a token's activations are stored.
        truncated: How many tokens were cut off its end.
    """

    ids: NDArray[np.int32]
    kept: NDArray[np.bool_]
    truncated: int


class Tokenizer(Protocol):
    """What is used of a tokenizer of `transformers`."""

    @property
    def all_special_ids(self) -> list[int]:
        """Ids of special tokens."""

    def encode(self, text: str, /) -> list[int]:
        """Ids of a text, with what the model wants at its ends."""

    def apply_chat_template(self, messages: Any, /, *, tokenize: bool, return_dict: bool) -> Any:
        """Ids of a conversation."""


class Encoder:
    """Turns records into tokens; a record has a text, a conversation, or token ids."""

    def __init__(
        self, tokenizer: Tokenizer | None, field: str, form: str, max_length: int, special_tokens: str
    ) -> None:
        """Prepare.

        Args:
            tokenizer: None if the records hold token ids.
            field: Where the document is in a record.
            form: `text`, `chat` or `tokens`.
            max_length: Longer documents are cut off.
            special_tokens: `keep` their rows, or `drop` them; the model sees them either way.
        """
        self._tokenizer = tokenizer
        self._field, self._form, self._max_length = field, form, max_length
        special = tokenizer.all_special_ids if tokenizer and special_tokens == "drop" else []
        self._dropped = np.asarray(special, np.int32)

    def __call__(self, record: Record, where: str) -> Encoded:
        """The tokens of a record; raises `InputError`, naming `where`, if it has not what is needed."""
        if self._field not in record:
            raise InputError(f"{where}: there is no {self._field!r}; there are {', '.join(record)}")
        ids = np.asarray(self._ids(record[self._field], where), np.int32)
        cut = ids[: self._max_length]
        return Encoded(ids=cut, kept=~np.isin(cut, self._dropped), truncated=len(ids) - len(cut))

    def _ids(self, value: Any, where: str) -> Any:
        if not isinstance(value, str if self._form == "text" else list):
            raise InputError(f"{where}: {self._field}: expected {self._form}, got {type(value).__name__}")
        if self._tokenizer is None or self._form == "tokens":
            return value
        if isinstance(value, str):
            return self._tokenizer.encode(value)
        return self._tokenizer.apply_chat_template(value, tokenize=True, return_dict=False)
