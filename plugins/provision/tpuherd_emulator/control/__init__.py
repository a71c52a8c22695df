"""Making things go wrong in an emulated cloud that runs, and moving its time."""
