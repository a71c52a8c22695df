"""Where the time and the money of jobs went, from what the store remembers; see docs/how-to/report.md."""
