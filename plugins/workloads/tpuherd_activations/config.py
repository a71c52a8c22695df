"""The `activations` section of the job file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from tpuherd.config.sections import Section, wrong
from tpuherd_activations.worker.input.forms import BUILT_IN


class ActivationsSection(Section):
    """Which activations of which model, over which documents."""

    model: str = Field(
        description="Folder of a Hugging Face checkpoint: gs://BUCKET/FOLDER, or a path of the workers."
    )
    hooks: tuple[str, ...] = Field(
        description="What to store, by TransformerLens' names or globs, such as blocks.*.hook_resid_post."
    )
    input: str = Field(
        description="Folder of documents (.jsonl, .txt, both also .gz, .parquet, or a dataset that "
        "`datasets` saved): gs://BUCKET/FOLDER, or a path that every worker has."
    )
    local_input: str | None = Field(
        None,
        min_length=1,
        description="Folder of documents on this machine, from the job file's folder on: before slices are "
        "asked for, they are spread over files in `input`, unless they are there.",
    )
    streams: int = Field(32, ge=1, description="Number of files that local_input is spread over.")
    form: str = Field(
        "text",
        description="What makes documents of records: text, chat (a conversation for the tokenizer's chat "
        "template) or tokens (token ids) take the one in `field`; a plugin's form, or a function of the "
        "job's code (module:function), makes none, one or several. See `tpuherd activations.forms`.",
    )
    form_options: dict[str, Any] = Field(
        default_factory=dict, description="For such a function: its further arguments, by name."
    )
    field: str = Field("text", description="Where the document is in a record, for text, chat and tokens.")
    max_length: int = Field(
        2048, ge=1, description="Longest document in tokens; what is longer is cut off, and counted."
    )
    special_tokens: Literal["keep", "drop"] = Field(
        "keep", description="Rows of BOS and other special tokens; the model sees them either way."
    )
    dtype: Literal["bfloat16", "float32"] = Field(
        "bfloat16", description="Of the weights, of what is computed, and of what is stored."
    )
    span: Literal["auto", "worker", "slice"] = Field(
        "auto",
        description="What holds one copy of the model: each worker, or a slice's workers together. auto: the "
        "slice if the weights take more than 60 % of the memory of a worker's chips.",
    )
    mesh: str = Field(
        "auto", description="Devices of a worker, or of a slice: auto, or sizes such as data=2,tensor=4."
    )
    rows_per_shard: int = Field(65_536, ge=1, description="About how many rows (tokens) a shard has.")
    batch_tokens: int = Field(8192, ge=1, description="Tokens that go through the model at once.")
    lease_s: float = Field(
        60.0, gt=0, description="Seconds after which a silent worker's part is done by another one."
    )

    @property
    def built_in_form(self) -> bool:
        """Whether the form needs no code of somebody else's."""
        return self.form in BUILT_IN

    @field_validator("hooks")
    @classmethod
    def _some(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value:
            raise wrong("name at least one hook, such as blocks.6.hook_resid_post")
        return value

    @field_validator("model", "input")
    @classmethod
    def _whole(cls, value: str) -> str:
        if not value.startswith(("gs://", "/", "~/")):
            raise wrong("expected gs://BUCKET/FOLDER, or a path that begins with / or ~/")
        return value.rstrip("/")
