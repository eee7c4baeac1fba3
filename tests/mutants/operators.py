"""The small changes that mutation testing makes: each operator takes a node of the syntax tree and
gives changes, each of which puts one node in the place of another."""

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy

Change = tuple[ast.AST, ast.AST]
"""A node of the tree, and what stands in its place."""

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
PAIRS = (
    ("min", "max"), ("any", "all"), ("startswith", "endswith"), ("partition", "rpartition"),
    ("fullmatch", "match"), ("bisect_left", "bisect_right"),
)  # fmt: skip
SWAPPED = dict(PAIRS) | {other: one for one, other in PAIRS} | {"search": "match"}
TEXTS = {"big": "little", "little": "big"}
"""Texts that have an opposite; any other is emptied."""


def changes(node: ast.AST) -> Iterator[Change]:
    """Every change of a node; changes of the nodes within it are not among them."""
    for kind, operator in REPLACING.items():
        if isinstance(node, kind):
            yield from ((node, other) for other in operator(node))
    if isinstance(node, ast.If | ast.IfExp):
        yield from ((node.test, ast.Constant(value)) for value in (True, False))
    elif isinstance(node, ast.While):
        yield node.test, ast.Constant(False)
    elif isinstance(node, ast.comprehension):
        yield from ((test, ast.Constant(value)) for test in node.ifs for value in (True, False))
    elif isinstance(node, ast.For):
        yield node.iter, ast.Tuple([], ast.Load())


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _shorter(node: ast.AST, *fields: str) -> Iterator[ast.AST]:
    """The node without one of its elements; `fields` are lists that belong together."""
    for at in range(len(getattr(node, fields[0]))):
        lists = {field: getattr(node, field) for field in fields}
        yield _with(node, **{field: [*all_[:at], *all_[at + 1 :]] for field, all_ in lists.items()})


def _compare(node: ast.Compare) -> Iterator[ast.AST]:
    for at, operator in enumerate(node.ops):
        for other in COMPARISONS[type(operator)]:
            yield _with(node, ops=[*node.ops[:at], other(), *node.ops[at + 1 :]])


def _bool(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    yield from (
        shorter if len(node.values) > 2 else shorter.values[0]
        for shorter in _shorter(node, "values")
        if isinstance(shorter, ast.BoolOp)
    )


def _arithmetic(node: ast.BinOp) -> Iterator[ast.AST]:
    if type(node.op) in ARITHMETIC:
        yield _with(node, op=ARITHMETIC[type(node.op)]())
    yield node.left
    yield node.right


def _unary(node: ast.UnaryOp) -> Iterator[ast.AST]:
    yield node.operand


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from (ast.Constant(value + 1), ast.Constant(value - 1))
    elif isinstance(value, str):
        yield ast.Constant(TEXTS.get(value, "" if value else "mutant"))
    elif isinstance(value, bytes):
        yield ast.Constant(b"" if value else b"mutant")


def _format(node: ast.JoinedStr) -> Iterator[ast.AST]:
    yield from _shorter(node, "values")


def _call(node: ast.Call) -> Iterator[ast.AST]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in SWAPPED:
        field = "attr" if isinstance(node.func, ast.Attribute) else "id"
        yield _with(node, func=_with(node.func, **{field: SWAPPED[name]}))
    for at in range(len(node.args) - 1):
        one, other = node.args[at : at + 2]
        yield _with(node, args=[*node.args[:at], other, one, *node.args[at + 2 :]])
    yield from _shorter(node, "keywords")


def _slice(node: ast.Subscript) -> Iterator[ast.AST]:
    if isinstance(node.slice, ast.Slice):
        for bound in ("lower", "upper", "step"):
            if getattr(node.slice, bound) is not None:
                yield _with(node, slice=_with(node.slice, **{bound: None}))


def _elements(node: ast.Tuple | ast.List | ast.Set) -> Iterator[ast.AST]:
    if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        yield from _shorter(node, "elts")


def _entries(node: ast.Dict) -> Iterator[ast.AST]:
    yield from _shorter(node, "keys", "values")


def _return(node: ast.Return) -> Iterator[ast.AST]:
    if node.value is None:
        yield ast.Pass()
    elif not isinstance(node.value, ast.Constant):
        yield ast.Return(ast.Constant(None))


def _statement(node: ast.AST) -> Iterator[ast.AST]:
    yield ast.Pass()


def _assignment(node: ast.Assign) -> Iterator[ast.AST]:
    """Drops what changes a value; without the first value of a name nothing would run."""
    read = {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)}
    parts = [part for target in node.targets for part in ast.walk(target)]
    kept = any(isinstance(part, ast.Attribute | ast.Subscript) for part in parts)
    if kept or any(isinstance(part, ast.Name) and part.id in read for part in parts):
        yield ast.Pass()


REPLACING: dict[type[ast.AST] | tuple[type[ast.AST], ...], Callable[..., Iterator[ast.AST]]] = {
    ast.Compare: _compare,
    ast.BoolOp: _bool,
    ast.BinOp: _arithmetic,
    ast.UnaryOp: _unary,
    ast.Constant: _constant,
    ast.JoinedStr: _format,
    ast.Call: _call,
    ast.Subscript: _slice,
    (ast.Tuple, ast.List, ast.Set): _elements,
    ast.Dict: _entries,
    ast.Return: _return,
    (ast.Expr, ast.AugAssign, ast.Assert, ast.Continue, ast.Break): _statement,
    ast.Assign: _assignment,
}
