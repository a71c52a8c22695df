"""The tasks of `tpuherd` and `inv`: thin, they parse, call core, print, and set the exit code."""
