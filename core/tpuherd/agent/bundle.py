"""The agent as one script, and the commands that install and run it on a worker."""

from __future__ import annotations

import hashlib
import json
import shlex
import zlib
from base64 import b64encode
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.remote import RemoteCommand

_PACKAGE = "tpuherd_agent"
_ENTRY = "entry.py"
_ARRIVE = "arrive.py"
_NOT_PACKED = (_ENTRY, _ARRIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentBundle:
    """The agent as a script; see `tpuherd_agent.entry`."""

    content: bytes = field(repr=False)
    digest: str
    """SHA-256 of `content`, in hex: the same sources always make the same bundle."""


@cache
def bundle() -> AgentBundle:
    """Packs the agent's sources, always into the same bytes."""
    entry = files(_PACKAGE).joinpath(_ENTRY).read_bytes()
    packed = b64encode(zlib.compress(json.dumps(sources()).encode(), 9))
    content = b"%b\n\nrun(__file__, %r)\n" % (entry, packed)
    return AgentBundle(content=content, digest=hashlib.sha256(content).hexdigest())


def sources() -> dict[str, str]:
    """The sources of the agent's modules, by module name."""
    found = sorted(
        (file for file in files(_PACKAGE).iterdir() if file.name.endswith(".py")), key=lambda f: f.name
    )
    return {_module(file.name): file.read_text("utf-8") for file in found if file.name not in _NOT_PACKED}


def install_command(bundle: AgentBundle) -> str:
    """A shell line that takes `bundle.content` on stdin and prints `present` or `installed`.

    It reads stdin to its end in both cases, writes to a temporary file, checks the digest and renames: a
    broken connection leaves nothing behind that would be taken for the agent. What is there is checked, too:
    a damaged file is replaced. Only the digest varies in the line.
    """
    return _INSTALL.format(digest=bundle.digest)


def command(bundle: AgentBundle, *args: str) -> str:
    """The shell line that runs an installed agent: `command(bundle, "status", "--attempt", "j.1")`.

    Exit code 2 with `can't open file` on stderr says that the agent is not installed.
    """
    return agent_line(bundle.digest, *args)


def agent_line(digest: str, *args: str) -> str:
    """The same by the digest of the agent alone."""
    return f"python3 -I -S {_file(digest)} {shlex.join(args)}".rstrip()


def arriving_line(bundle: AgentBundle, *args: str) -> str:
    """A shell line that installs the agent and runs it, in one process.

    It says `tpuherd_agent.arrive.WANTED`, and reads `bundle.content` from stdin before its own input. What is
    installed already is replaced.
    """
    arrive = files(_PACKAGE).joinpath(_ARRIVE).read_text("utf-8")
    return f"python3 -I -S -c {shlex.quote(arrive)} {bundle.digest} {len(bundle.content)} {shlex.join(args)}"


def standing_line(digest: str) -> str:
    """The shell line that lets an agent stand by; it asks for ours if that is meant and missing there."""
    installed = agent_line(digest, "serve")
    if digest != bundle().digest:
        return installed
    return f"test -f {_file(digest)} && exec {installed}\nexec {arriving_line(bundle(), 'serve')}"


def agent_command(bundle: AgentBundle, *args: str, stdin: bytes | None = None) -> RemoteCommand:
    """The same as a command for workers, which is answered sooner where an agent stands by.

    Args:
        bundle: An installed agent.
        args: Its command line: something that may be done twice.
        stdin: Its input.
    """
    from tpuherd.remote import AgentCall, RemoteCommand

    call = AgentCall(digest=bundle.digest, words=args)
    line = f"{_REQUIRE.format(digest=bundle.digest)}; exec {command(bundle, *args)}"
    return RemoteCommand(command=line, stdin=stdin, call=call)


def _file(digest: str) -> str:
    return f"~/.tpuherd/agent/{digest}.py"


def _module(file_name: str) -> str:
    name = file_name.removesuffix(".py")
    return _PACKAGE if name == "__init__" else f"{_PACKAGE}.{name}"


_REQUIRE = 'test -f ~/.tpuherd/agent/{digest}.py || {{ echo "can\'t open file" >&2; exit 2; }}'
"""What Python would say, without starting it."""
_INSTALL = " ".join(
    """\
set -eu; umask 077; d="$HOME/.tpuherd/agent"; f="$d/{digest}.py";
good() {{ s="$(sha256sum <"$1")"; [ "${{s%% *}}" = {digest} ]; }};
if [ -f "$f" ] && good "$f"; then cat >/dev/null; echo present; exit 0; fi;
mkdir -p "$d"; t="$f.$$.tmp"; trap 'rm -f "$t"' EXIT; cat >"$t";
if ! good "$t"; then echo "the agent arrived damaged: install it again" >&2; exit 1; fi;
sync "$t" 2>/dev/null || true; mv -f "$t" "$f"; echo installed""".splitlines()
)
