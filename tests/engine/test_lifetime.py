"""A process that runs one command ends at once, and loses nothing by it."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGIN = "import atexit, sys, threading, time\nfrom tpuherd.lifetime import one_command\nwith one_command():\n"


def ended(*lines: str) -> subprocess.CompletedProcess[str]:
    program = BEGIN + "".join(f"    {line}\n" for line in lines)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(("code", "wanted"), [("", 0), ("None", 0), ("5", 5), ("-1", 255), ("'no'", 1)])
def test_the_exit_code_is_that_of_python(code, wanted):
    assert ended(f"sys.exit({code})").returncode == wanted


def test_all_that_is_printed_arrives_and_all_that_waits_for_the_end_happens():
    done = ended(
        "atexit.register(print, 'last')",
        "threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()",
        "print('x' * 100_000)",
        "sys.exit(3)",
    )
    assert (done.returncode, done.stdout) == (3, f"{'x' * 100_000}\nthread\nlast\n")


def test_it_is_not_taken_apart():
    kept = ("keeps = type('Keeps', (), {'__del__': lambda _: print('taken apart')})()", "print('end')")
    assert ended(*kept, "sys.exit(0)").stdout == "end\n"
    assert ended(*kept).stdout == "end\ntaken apart\n"


def test_an_error_is_told_as_usual():
    done = ended("raise LookupError('what was sought')")
    assert done.returncode == 1
    assert "LookupError: what was sought" in done.stderr
