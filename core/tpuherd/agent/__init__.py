"""The controller's side of the agent: how it gets to workers, and how its answers are read."""
