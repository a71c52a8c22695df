"""What a worker's process wants in its environment when it starts."""

VARIABLES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Huge pages for large buffers, where Linux gives them on demand; nothing happens elsewhere.

On CPUs every program of a model takes new memory for what it computes on the way. To get it in pages of 4 KiB
took a seventh of the forward pass' CPU time.
"""
