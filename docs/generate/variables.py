"""The page of environment variables; a test holds it against the code."""

from __future__ import annotations

from markup import code, note, table

USER = {
    "TPUHERD_HOME": "Folder of everything that tpuherd keeps: store, logs, results, emulated cloud. "
    "Default: `tpuherd` in the user's state folder (`~/.local/state/tpuherd`).",
    "TPUHERD_DATABASE": "Store of the jobs, as an SQLAlchemy URL. Default: an SQLite file in "
    "`$TPUHERD_HOME`.",
    "TPUHERD_JOB": "Job file for the stage tasks (`provision` … `release`) when `--job` is not given. "
    "Without both: `tpuherd.yaml` in the current folder.",
    "TPUHERD_CLOUD": "Cloud of commands that have no job (`tpus`, `gc`) when `--cloud` is not given. "
    "Without both: that of the job file at hand, or `google`.",
    "TPUHERD_PLUGINS": "Importable modules that are loaded as plugins without being installed as such, "
    "separated by commas.",
    "TPUHERD_DISABLE_PLUGINS": "Names of plugins that are not loaded, separated by commas.",
    "TPUHERD_HOLDER_IDLE_S": "Seconds for which SSH connections are kept after the last command that used "
    "them (`tpuherd connections`). Default: 600. `0`: each command opens its own.",
    "TPUHERD_HOLDER_START_S": "Seconds that `tpuherd rerun` waits for the process that has imported all "
    "already, before it starts by itself. Default: 2; more helps on a machine that is very busy.",
    "TPUHERD_SUPERVISOR_IDLE_S": "Seconds without a job after which a supervisor ends that a command has "
    "started (`tpuherd create`, detaching). Default: 60. One that you start with `tpuherd supervise` stays.",
    "TPUHERD_DEBUG": "Set to anything: errors are printed with their traceback.",
}
"""Variables that a user sets where `tpuherd` runs."""

STANDARD = {
    "NO_COLOR": "Set to anything: no colors.",
    "FORCE_COLOR": "Set to anything: colors, also when the output is no terminal.",
    "GOOGLE_CLOUD_PROJECT": "Cloud project, if `tpu.project` is not set; then "
    "`CLOUDSDK_CORE_PROJECT`, then the project of the credentials.",
}
"""Variables of others that tpuherd honours."""

WORKER = {
    "TPUHERD_JOB_ID": "The job's id.",
    "TPUHERD_ATTEMPT": "Number of the attempt, from 1.",
    "TPUHERD_ATTEMPT_ID": "Job and attempt in one word; marks all processes of the attempt.",
    "TPUHERD_ATTEMPT_DIR": "Folder of the attempt on the worker: log, exit code, "
    "files of the workload plugin.",
    "TPUHERD_RESUME": "`1`: continue from a checkpoint if there is one; `0`: start from scratch.",
    "TPUHERD_STAGE": "The same as `TPUHERD_ATTEMPT`, by the name that tpu_manager gave it.",
    "TPUHERD_RESUME_ARGS": "`recovery.resume_args`, filled in, for attempts that resume; empty for others.",
    "TPUHERD_CHECKPOINT_DIR": "`recovery.checkpoint_directory`, if the job file has it; on the emulated "
    "cloud also if not. The same for attempts that build on each other.",
    "TPUHERD_WORKER": "Number of this worker, from 0.",
    "TPUHERD_CODE": "Folder of the code's snapshot, if there is code; the work starts in it.",
    "TPUHERD_WORKERS": "Number of workers of the allocation.",
    "TPUHERD_MEMBER": "In a fleet: number of the member that this job is, from 0.",
    "TPUHERD_MEMBERS": "In a fleet: number of members.",
}
"""Variables that the work finds on a worker."""

EMULATOR = {
    "TPUHERD_EMULATOR_TPU_ENDPOINT": "Address of the emulated TPU API: gRPC without TLS, on loopback.",
    "TPUHERD_EMULATOR_TOKEN": "Bearer token of the emulated TPU API.",
    "TPUHERD_EMULATOR_REST_URL": "URL of the emulated TPU API over REST; holds a token.",
    "TPUHERD_EMULATOR_SSH_KEY": "Private key that logs in to every emulated worker.",
    "TPUHERD_EMULATOR_SSH_PORT": "Port of all SSH servers of emulated workers.",
}
"""Variables that `tpuherd cloud.env` prints."""

INTERNAL = {
    "TPUHERD_DEVICE_GLOB": "Agent: where the device files of TPU chips are, instead of the usual places.",
    "TPUHERD_EXEC_ID": "Marks the processes of `tpuherd exec` on a worker, so that Ctrl-C can end them.",
    "TPUHERD_EMULATED_WORKER": "Marks the processes of an emulated worker, so that they "
    "can be found and ended.",
    "TPUHERD_EMULATED_CLOUD": "Marks the process of an emulated cloud.",
}
"""Variables that nobody needs to set."""

GROUPS = {
    "Set by you": USER,
    "Of others, honoured": STANDARD,
    "Set for the work on every worker": WORKER,
    "Printed by `tpuherd cloud.env`": EMULATOR,
    "Internal": INTERNAL,
}

HEAD = """
# Environment variables

Variables of your own for the work belong into the section `env` of the [job file](job-file.md#env).
"""

TAIL = """
`JAX_COORDINATOR_PORT` is set for all work. A workload that forms one JAX job out of all workers (like
`orbax_benchmark`) also gets `JAX_COORDINATOR_ADDRESS`, `JAX_NUM_PROCESSES` and `JAX_PROCESS_ID`.
"""


def page() -> str:
    """Return the whole page."""
    parts = [
        f"\n## {title}\n\n" + table(("variable", "meaning"), [(code(n), text) for n, text in group.items()])
        for title, group in GROUPS.items()
    ]
    parts.insert(3, TAIL)
    return note("docs/generate/variables.py") + HEAD + "".join(parts)
