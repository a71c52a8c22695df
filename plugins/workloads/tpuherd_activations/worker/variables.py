"""What a worker's process wants in its environment when it starts."""

VARIABLES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", "OPENBLAS_NUM_THREADS": "1"}
"""Huge pages for large buffers, where Linux gives them on demand; numpy's products stay in their thread.

On CPUs every program of a model takes new memory for what it computes on the way. To get it in pages of 4 KiB
took a seventh of the forward pass' CPU time. Numpy only adds up what is stored, beside the model, and the
same on every machine.
"""
