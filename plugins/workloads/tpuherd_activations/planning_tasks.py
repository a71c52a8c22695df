"""The `activations.*` tasks for the time before a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context


@command(
    positional=["job"],
    iterable=["override"],
    help={
        "job": "The job file.",
        "override": "Replace a value of the job file: KEY=VALUE. Repeat for several.",
        "json": "Print JSON.",
    },
)
def estimate(_context: Context, job: str, override: list[str], json: bool = False) -> None:
    """Say how many rows and bytes a job makes, how long its chips take, and what they cost; nothing runs.

    `tpuherd plan` says the same if model and documents are on this machine; this looks into buckets, too. It
    reads the model's `config.json` and sizes of documents; of up to 16 Parquet files what they say at their
    end, and of up to 16 .gz files the beginning. 4 bytes of text count as a token, and the chips as used to
    30 % of their peak: measure with a small run. Files that are not read are named.
    """
    from dataclasses import asdict
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from tpuherd.output.tables import print_json, print_table
    from tpuherd.tasks.opening import read
    from tpuherd_activations.config import ActivationsSection
    from tpuherd_activations.surveying import survey

    spec = read(Path(job), override).spec
    with TemporaryDirectory(prefix="tpuherd-activations-") as scratch:
        found = survey(spec, spec.section(ActivationsSection), Path(scratch))
    bytes_of = {hook.name: hook.row_bytes for hook in found.hooks}
    if json:
        seen = {"files": found.files, "text_bytes": found.text_bytes, "not_read": found.left_out}
        print_json({**asdict(found.estimate), **seen, "hooks": bytes_of})
        return
    sys.stdout.write(f"{found.files:,} files, {found.text_bytes:,} bytes of text: {found.told()}\n")
    print_table(("hook", "bytes per row"), list(bytes_of.items()))


@command(help={"json": "Print JSON: name, plugin, what it makes of a record."})
def forms(_context: Context, json: bool = False) -> None:
    """Show the forms that `activations.form` may name: what makes documents of the input's records.

    A function of the job's own code needs no plugin: `form: module:function`.
    """
    from tpuherd.output.tables import print_json, print_table
    from tpuherd_activations.forms import contributed
    from tpuherd_activations.worker.input.forms import BUILT_IN

    rows = [(name, "", text) for name, text in BUILT_IN.items()]
    rows += [(form.name, plugin, form.description) for plugin, form in contributed()]
    columns = ("form", "plugin", "what it makes of a record")
    if json:
        print_json([dict(zip(("form", "plugin", "description"), row, strict=True)) for row in rows])
        return
    print_table(columns, rows)
