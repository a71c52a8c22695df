"""What can be wrong with a checkpoint, a choice of hooks, a mesh or a batch; one message says it all."""

from __future__ import annotations


class ModelError(Exception):
    """The parent of all errors of the decoder."""


class ConfigurationError(ModelError):
    """`config.json` is missing, unreadable, or asks for what this decoder does not compute."""


class CheckpointError(ModelError):
    """A file or a tensor of the checkpoint is missing, damaged or not of the shape that it should have."""


class HookError(ModelError):
    """A hook was asked for that the model does not have."""


class MeshError(ModelError):
    """The devices cannot be arranged as asked, or the model or the batch cannot be divided so."""


class BatchError(ModelError):
    """The tokens, segments or positions of a batch do not fit together or the model."""


class DatasetError(Exception):
    """The parent of what can be wrong with a dataset: its input, its place or its files."""


class InputError(DatasetError):
    """Documents cannot be found or read, or are not what the settings say."""


class PlaceError(DatasetError):
    """A folder or a bucket did not take or give a file, or has no room for it."""


class ClaimLostError(DatasetError):
    """Another worker holds what this one held; what it computes is of no use any more."""
