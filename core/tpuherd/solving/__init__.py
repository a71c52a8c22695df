"""Known ailments of a job's workers: finding them, and repairing those where that is safe."""
