"""The agent as one file, and the commands that install and run it on a worker."""

from __future__ import annotations

import hashlib
import io
import shlex
import zipfile
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

_ENTRY = "from tpuherd_agent.__main__ import main\n\nmain()\n"
_FIXED_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentBundle:
    """The agent as a zipapp."""

    content: bytes = field(repr=False)
    digest: str
    """SHA-256 of `content`, in hex: the same sources always make the same bundle."""


@cache
def bundle() -> AgentBundle:
    """Packs the agent's sources, always into the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        _add(archive, "__main__.py", _ENTRY.encode())
        sources = (file for file in files("tpuherd_agent").iterdir() if file.name.endswith(".py"))
        for source in sorted(sources, key=lambda file: file.name):
            _add(archive, f"tpuherd_agent/{source.name}", source.read_bytes())
    content = buffer.getvalue()
    return AgentBundle(content=content, digest=hashlib.sha256(content).hexdigest())


def install_command(bundle: AgentBundle) -> str:
    """A shell line that takes `bundle.content` on stdin and prints `present` or `installed`.

    It reads stdin to its end in both cases, writes to a temporary file, checks the digest and renames: a
    broken connection leaves nothing behind that would be taken for the agent. Only the digest varies in it.
    """
    return _INSTALL.format(digest=bundle.digest)


def command(bundle: AgentBundle, *args: str) -> str:
    """The shell line that runs an installed agent: `command(bundle, "status", "--attempt", "j.1")`.

    Exit code 2 with `can't open file` on stderr says that the agent is not installed.
    """
    return f"python3 -I -S ~/.tpuherd/agent/{bundle.digest}.pyz {shlex.join(args)}".rstrip()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _FIXED_TIME)
    entry.external_attr = 0o644 << 16
    entry.create_system = 3  # Unix, on every system: the bytes must not differ
    archive.writestr(entry, content)


_INSTALL = " ".join(
    """\
set -eu; umask 077; d="$HOME/.tpuherd/agent"; f="$d/{digest}.pyz";
if [ -f "$f" ]; then cat >/dev/null; echo present; exit 0; fi;
mkdir -p "$d"; t="$f.$$.tmp"; trap 'rm -f "$t"' EXIT; cat >"$t";
s="$(sha256sum <"$t")";
if [ "${{s%% *}}" != {digest} ]; then echo "the agent arrived damaged: install it again" >&2; exit 1; fi;
mv -f "$t" "$f"; echo installed""".splitlines()
)
