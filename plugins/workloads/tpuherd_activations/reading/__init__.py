"""What uses a dataset: shuffled batches, rows by number, statistics."""
