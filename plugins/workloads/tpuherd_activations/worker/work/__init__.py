"""One worker's way through the parts: claim, compute, write, commit, until the dataset is there."""
