"""What runs on the workers: around Orbax's own benchmark harness, without changing it.

Only the standard library (Python 3.10 or later) and what the harness itself needs. The folder is copied to
the workers and run there as a package of its own, see `tpuherd_orbax_benchmark.launching`.
"""
