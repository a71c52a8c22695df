"""The page of benchmark results, from the dataclasses of `tpuherd_orbax_benchmark`."""

from __future__ import annotations

from markup import code, note, table
from source import fields

from tpuherd_orbax_benchmark import documents
from tpuherd_orbax_benchmark import results as values
from tpuherd_orbax_benchmark.figures import Figures

HEAD = """
# Results of the Orbax benchmark

A successful run leaves a folder `results`; `tpuherd run` prints where, and `tpuherd results.show JOB` shows
the table again.

| file | what |
| --- | --- |
| `results.json` | everything below, with units and provenance |
| `results.csv` | every measurement as one line: COLUMNS |
| `results.png` | the figures as a plot |
| `tensorboard/` | the harness's own files, as it wrote them: events and per-host means |
| `provenance/` | what each process found out about itself, as JSON |

Units are in the names or beside the values: `s`, `GiB` (2^30 bytes), `MiB` (2^20), `GiB/s`. The harness
calls its throughputs `gbps` and `gbytes`; they are GiB.

## The figures of the table

FIGURES_DOC

"""

MIDDLE = """
Runs on the emulated cloud work on CPU devices and a local disk: their figures say that everything works,
and nothing about a TPU.

## Comparing

`tpuherd results.compare BEFORE AFTER` pairs the metrics of two runs by benchmark, checkpoint, mesh,
options, operation and metric, and shows the worst change first. Per repeat the worst host counts, then the
median over the repeats. Only times, memory and throughputs take part: other units have no better and worse.
Runs on different topologies are refused. `--fail-above 1.1` makes the exit code 11 if a figure became more
than 1.1 times worse.

## results.json

The top level has `"schema": "SCHEMA"` and the fields of `BenchmarkResults`. A later version of tpuherd that
reads another schema says so instead of guessing.
"""

KINDS = (
    values.BenchmarkResults,
    values.Run,
    values.Topology,
    values.Config,
    values.Process,
    values.Benchmark,
    values.Mesh,
    values.Series,
    values.Failure,
)


def page() -> str:
    """Return the whole page."""
    head = HEAD.replace("COLUMNS", ", ".join(map(code, documents.COLUMNS)))
    head = head.replace("FIGURES_DOC", _figures_doc())
    middle = MIDDLE.replace("SCHEMA", documents.SCHEMA)
    figures = table(("figure", "where it comes from"), [(code(f.name), f.text) for f in fields(Figures)])
    return note("tpuherd_orbax_benchmark") + head + figures + middle + "".join(map(_section, KINDS))


def _figures_doc() -> str:
    """The second paragraph of the module: how the figures are made."""
    from tpuherd_orbax_benchmark import figures

    return str(figures.__doc__).partition("\n\n")[2].strip()


def _section(kind: type) -> str:
    rows = [(code(f.name), code(f.type), f.text) for f in fields(kind)]
    return f"\n### {kind.__name__}\n\n{kind.__doc__}\n\n" + table(("field", "type", "meaning"), rows)
