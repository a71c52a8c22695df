"""The dataset's format and how it is written; what reads it is `tpuherd_activations.reading`."""
