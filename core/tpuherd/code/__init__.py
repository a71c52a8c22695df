"""Code on its way to the workers: what a working tree holds, what a worker lacks of it, how it gets there.

Shared by the plugins of `code.sync`. A snapshot is a git tree of the files exactly as they are on the disk,
in an object store of tpuherd's own: nobody's repository, index or configuration is changed.
"""
