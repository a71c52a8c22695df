"""Fleets of one job file: jobs that share one work, made, driven and watched together."""
