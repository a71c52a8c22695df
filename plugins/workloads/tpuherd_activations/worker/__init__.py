"""What runs on the workers: a decoder in JAX that gives back what it computes on the way.

Only the standard library (Python 3.10 or later), numpy and jax. The folder is copied to the workers and run
there as a package of its own, so its modules import one another relatively. The rooms: `architecture` reads
`config.json`, `hooks` says what can be asked for, `loading` reads checkpoints, `model` computes.
"""
