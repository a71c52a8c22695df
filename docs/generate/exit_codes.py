"""The page of exit codes, from `tpuherd.exit_codes` and `tpuherd.errors`."""

from __future__ import annotations

import inspect

from markup import code, note, table
from source import fields

from tpuherd import ExitCode, TpuherdError, errors

HEAD = """
# Exit codes

One exit code per kind of outcome, the same for every command and for `inv`.
`tpuherd exec` is the exception: it ends with the worst exit code of the command on the workers.

"""


def page() -> str:
    """Return the whole page."""
    meanings = {field.name: field.text for field in fields(ExitCode)}
    rows = [(str(int(c)), code(c.name), meanings[c.name], ", ".join(map(code, _raised(c)))) for c in ExitCode]
    return note("tpuherd.exit_codes") + HEAD + table(("code", "`tpuherd.ExitCode`", "meaning", "error"), rows)


def _raised(exit_code: ExitCode) -> list[str]:
    kinds = (kind for kind in vars(errors).values() if inspect.isclass(kind))
    return [
        k.__name__ for k in kinds if issubclass(k, TpuherdError) and vars(k).get("exit_code") == exit_code
    ]
