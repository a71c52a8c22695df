"""The TPU API as Google's client libraries speak it, v2 and the same methods under v2alpha1."""
