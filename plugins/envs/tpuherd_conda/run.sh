#!/usr/bin/env bash
# Activate the conda environment in $CONDA_PREFIX and become the command: `conda run` would stay in between, and
# signals and output would pass through it.
export CONDA_SHLVL=1
[ ! -f "$CONDA_PREFIX/.tpuherd/variables.sh" ] || . "$CONDA_PREFIX/.tpuherd/variables.sh"
for script in "$CONDA_PREFIX"/etc/conda/activate.d/*.sh; do
  [ ! -f "$script" ] || . "$script"
done
exec "$@"
