"""The metadata servers of the workers."""
