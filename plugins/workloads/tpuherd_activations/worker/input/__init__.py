"""Documents: where they are, how they become tokens, and how tokens become batches."""
