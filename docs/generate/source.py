"""The texts below names in a class body: Python itself does not keep them."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One name in a class body."""

    name: str
    type: str
    """As it is annotated; empty for members of an enum."""
    text: str
    """Empty if there is none."""


def fields(kind: type) -> list[Field]:
    """Return the annotated or assigned names of a class, in order."""
    (body,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(body, ast.ClassDef)
    pairs = zip(body.body, [*body.body[1:], ast.Pass()], strict=True)
    return [
        Field(name=_name(node), type=_type(node), text=_text(below))
        for node, below in pairs
        if isinstance(node, ast.Assign | ast.AnnAssign)
    ]


def _name(node: ast.Assign | ast.AnnAssign) -> str:
    return ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])


def _type(node: ast.Assign | ast.AnnAssign) -> str:
    return ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""


def _text(node: ast.stmt) -> str:
    return str(ast.literal_eval(node.value)) if isinstance(node, ast.Expr) else ""
