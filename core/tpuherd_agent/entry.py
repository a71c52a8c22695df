"""The agent's first lines: they are compiled on every call, so they are few and import what is built in.

The agent arrives on a worker as one script: this file, and all other modules packed into one word. A call
compiles those that it needs. Before the first one ends, it keeps all of them, compiled, in a file beside the
script, and the next ones only read that: it is half of what a call would cost. A file that is missing,
damaged or cut short is made again; where it cannot be written, the agent works without.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 10):  # noqa: UP036  (who knows what `python3` is on a worker)
    sys.exit('{"error": "this worker\'s python3 is older than 3.10: choose a newer TPU runtime version"}')

import gc
import marshal
import zlib

TYPE_CHECKING = False  # importing typing takes as long as everything in this file
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

PACKAGE = "tpuherd_agent"
NEW_OBJECTS = 100_000
"""So many before Python looks for garbage: most calls are over by then."""
LAST = 19
"""How nice the agent is to whatever else the worker does, once it has answered."""
CHECK_BYTES = 4


class Modules:
    """A finder and loader, as `importlib.abc` describes them."""

    def __init__(self, sources: dict[str, str], compiled: dict[str, bytes]) -> None:
        """Both by module name; what is compiled needs no source."""
        self._sources = sources
        self._compiled = compiled

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """The specification of one of the agent's modules; `None`: it is another one."""
        specification = type(sys.__spec__)  # `importlib.machinery` has it too, and costs a millisecond
        known = name in self._compiled or name in self._sources
        return specification(name, self, is_package=name == PACKAGE) if known else None  # type: ignore[arg-type]

    def create_module(self, _spec: ModuleSpec) -> None:
        """Nothing special."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's own code."""
        exec(marshal.loads(self._code(module.__name__)), module.__dict__)  # noqa: S102, S302

    def keep(self, path: str) -> None:
        """Compile what is left, and keep everything, if that is possible."""
        import os

        os.nice(LAST)
        _keep(path, marshal.dumps({name: self._code(name) for name in self._sources}))

    def _code(self, name: str) -> bytes:
        if name not in self._compiled:
            code = compile(self._sources[name], name, "exec", 0, True, 2)
            self._compiled[name] = marshal.dumps(code)
        return self._compiled[name]


def run(script: str, packed: bytes) -> None:
    """Run the agent.

    Args:
        script: Path of this script; what is compiled lies beside it.
        packed: Module names to sources: JSON, compressed, in base 64.
    """
    gc.set_threshold(NEW_OBJECTS)
    kept = f"{script[:-3]}.{sys.implementation.cache_tag}-{sys.hexversion:x}"
    compiled = _read(kept)
    sources = {} if compiled else _unpacked(packed)
    modules = Modules(sources, compiled)
    sys.meta_path.insert(0, modules)
    from tpuherd_agent.__main__ import main

    try:
        main()
    finally:
        if sources:
            modules.keep(kept)
        gc.freeze()  # what goes with the process need not be looked through


def _read(kept: str) -> dict[str, bytes]:
    """What an earlier call compiled; empty: nothing that is whole."""
    try:
        with open(kept, "rb") as file:  # noqa: PTH123
            check, content = file.read(CHECK_BYTES), file.read()
    except OSError:
        return {}
    good = check == _check(content)
    return marshal.loads(content) if good else {}  # noqa: S302


def _unpacked(packed: bytes) -> dict[str, str]:
    import json
    from binascii import a2b_base64

    sources: dict[str, str] = json.loads(zlib.decompress(a2b_base64(packed)))
    return sources


def _keep(kept: str, content: bytes) -> None:
    """Another call may do the same now: each writes a file of its own, and renames it."""
    import os
    from contextlib import suppress

    temporary = f"{kept}.{os.getpid()}.tmp"
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:  # noqa: PTH123
            file.write(_check(content) + content)
        os.replace(temporary, kept)  # noqa: PTH105
    except OSError:  # a full disk, or one that is only read
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108


def _check(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(CHECK_BYTES, "big")
