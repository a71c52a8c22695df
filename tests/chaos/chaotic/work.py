"""The workload: counts steps, saves checkpoints, and notes everything in a ledger that all workers append to.

It runs on workers, with nothing but the standard library. A line of the ledger is written by one call of
write(): `ATTEMPT WORKER PID WORD NUMBER`. Lines are never lost or torn, and their order is that of events.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

FOLDER, STEPS, STEP_S, SAVE_EVERY, HEEDS_TERM, FAILS_AT = sys.argv[1:]
ATTEMPT, WORKER = os.environ["TPUHERD_ATTEMPT"], os.environ["TPUHERD_WORKER"]
CHECKPOINT = Path(os.environ["TPUHERD_CHECKPOINT_DIR"], f"worker-{WORKER}")
FILL = 3000
"""Letters that make a line of the log so long that some of them fill a page of a disk."""
LEDGER = os.open(Path(FOLDER, "ledger"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def note(word: str, number: int) -> None:
    os.write(LEDGER, f"{ATTEMPT} {WORKER} {os.getpid()} {word} {number}\n".encode())


def write(path: Path, content: object) -> None:
    """Whole or not at all."""
    temporary = path.with_name(f".{path.name}.{ATTEMPT}")
    temporary.write_text(json.dumps(content))
    temporary.replace(path)


def save(step: int) -> None:
    CHECKPOINT.parent.mkdir(parents=True, exist_ok=True)
    write(CHECKPOINT, step)
    note("saved", step)
    report = {"step": step, "total": int(STEPS), "checkpoint_step": step}
    write(Path(os.environ["TPUHERD_ATTEMPT_DIR"], "progress.json"), report)


def main() -> int:
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    at = json.loads(CHECKPOINT.read_text()) if CHECKPOINT.exists() else 0
    note("start", at)
    while at < int(STEPS):
        time.sleep(float(STEP_S))
        if asked and HEEDS_TERM == "1":
            save(at)
            return 128 + signal.SIGTERM
        at += 1
        if at == int(FAILS_AT):
            note("wrong", at)
            return 3
        note("step", at)
        print("step", at, "." * FILL, flush=True)
        if at % int(SAVE_EVERY) == 0 or at == int(STEPS):
            save(at)
    note("end", at)
    return 0


if __name__ == "__main__":
    sys.exit(main())
