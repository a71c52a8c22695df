"""Making environments on workers: what the plugins for venv, conda, containers and hosts have in common.

A plugin describes a folder and the script that fills it (`Recipe`), and `make` does the rest on all workers
at once: a finished environment is only looked at, one that is half made is made anew, and all workers must
end up with the same versions. `preflight` starts JAX on all of them.
"""

from __future__ import annotations

from tpuherd.envs.keys import environment_key
from tpuherd.envs.making import Made, find, make
from tpuherd.envs.preflight import preflight
from tpuherd.envs.recipe import Recipe

__all__ = ["Made", "Recipe", "environment_key", "find", "make", "preflight"]
