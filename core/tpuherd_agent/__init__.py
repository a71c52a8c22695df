"""The agent: the small program on each worker that owns the workload's processes.

It is sent to workers as one script, uses nothing but the standard library, and runs on Python 3.10 and later.
Everything that it knows is in files below `~/.tpuherd/attempts/<attempt id>/`; any of its processes, and the
SSH session that started them, may die at any moment.
"""
