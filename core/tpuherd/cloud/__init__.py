"""The Cloud TPU API, as the provisioning plugins use it."""
