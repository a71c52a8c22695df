"""Giving back what is held for too long, and finding what nobody gives back any more."""
