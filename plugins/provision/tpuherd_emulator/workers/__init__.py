"""The workers of an emulated cloud: one SSH server, and what runs below it, per TPU VM."""
