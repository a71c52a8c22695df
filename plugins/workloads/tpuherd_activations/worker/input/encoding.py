"""From records to token ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .forms import Form
    from .source import Record

LARGEST = int(np.iinfo(np.int32).max)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """One document as tokens.

    Attributes:
        ids: [length], int32: what goes through the model.
        kept: [length], whether a token's activations are stored.
        truncated: How many tokens were cut off its end.
        record: Number of the record in the input that it was made of, from 0.
        prompt: Which of that record's documents it is, from 0.
    """

    ids: NDArray[np.int32]
    kept: NDArray[np.bool_]
    truncated: int
    record: int
    prompt: int


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
    """Turns records into tokens: a form makes documents of them, and a tokenizer tokens of these."""

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        form: Form,
        max_length: int,
        special_tokens: str,
        vocabulary: int = LARGEST,
    ) -> None:
        """Prepare.

        Args:
            tokenizer: None if documents are token ids, and all rows are kept.
            form: Makes documents of records.
            max_length: Longer documents are cut off.
            special_tokens: `keep` their rows, or `drop` them; the model sees them either way.
            vocabulary: How many token ids the model has.
        """
        self._tokenizer, self._form = tokenizer, form
        self._max_length, self._vocabulary = max_length, vocabulary
        special = tokenizer.all_special_ids if tokenizer and special_tokens == "drop" else []
        self._dropped = np.asarray(special, np.int32)

    def __call__(self, record: Record, number: int) -> list[Encoded]:
        """The documents of a record; raises `InputError` if it has not what is needed.

        Args:
            record: One of the input.
            number: Its number there, from 0.
        """
        found = []
        for prompt, document in enumerate(self._form(record, number)):
            ids = self._ids(document)
            cut = ids[: self._max_length]
            kept, truncated = ~np.isin(cut, self._dropped), len(ids) - len(cut)
            found.append(Encoded(ids=cut, kept=kept, truncated=truncated, record=number, prompt=prompt))
        return found

    def _ids(self, document: Any) -> NDArray[np.int32]:
        if isinstance(document, str):
            return self._checked(self._given(document).encode(document))
        if isinstance(document, list | tuple) and document and isinstance(document[0], Mapping):
            return self._checked(self._conversation(list(document)))
        return self._checked(document)

    def _conversation(self, messages: list[Any]) -> Any:
        try:
            return self._given(messages).apply_chat_template(messages, tokenize=True, return_dict=False)
        except InputError:
            raise
        except Exception as error:  # no jinja2, no template, or one that does not like them
            raise InputError(f"the chat template: {type(error).__name__}: {error}") from error

    def _given(self, document: object) -> Tokenizer:
        if self._tokenizer is None:
            raise InputError(f"expected token ids, got {type(document).__name__}")
        return self._tokenizer

    def _checked(self, ids: Any) -> NDArray[np.int32]:
        """As numbers that the model has an embedding for; none are fine."""
        try:
            found = np.asarray(ids)
        except ValueError as error:  # lists of several lengths
            raise InputError("expected a text, a list of messages or a list of token ids") from error
        if not found.size:
            return np.empty(0, np.int32)
        if found.ndim != 1 or found.dtype.kind not in "iu":
            raise InputError("expected a text, a list of messages or a list of token ids")
        wrong = found[(found < 0) | (found >= self._vocabulary)]
        if len(wrong):
            raise InputError(f"token {wrong[0]} is out of range, the model has 0 to {self._vocabulary - 1}")
        return found.astype(np.int32)
