"""Job files: YAML in, frozen values out, and errors that say what to write instead.

The modules of this package import pydantic, PyYAML and OmegaConf; the package itself, `choices` and `section`
import nothing heavy.
"""
