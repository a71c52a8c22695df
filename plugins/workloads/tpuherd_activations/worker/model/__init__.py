"""The decoder's computation: pure functions over a tree of parameters, and the model that holds both.

Import `load` and `Model` from `.model`, which imports JAX.
"""
