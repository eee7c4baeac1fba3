"""The mutants of a file: copies of it with one small change each.

Docstrings, imports and types stay as they are; `mypy --strict` judges types. Only the limits that
msgspec checks (`Meta`) are changed within them.
"""

import ast
from collections.abc import Iterator
from itertools import accumulate

from msgspec import Struct

from tests.mutants.operators import changes

STAYS = frozenset({"annotation", "returns", "decorator_list", "bases", "type_params"})
TYPES = frozenset({"Literal", "Annotated", "dict", "tuple", "list", "Callable", "Counter"})
"""What is subscripted to name a type."""
CLASS_SETTINGS = frozenset({"frozen", "gc"})
"""Settings of a class that mypy and the garbage collector care about, and no result depends on."""


class Mutant(Struct, frozen=True):
    """One change: in which function and line, the lines before and after it, and the whole file
    with it."""

    file: str
    function: str
    line: int
    before: str
    after: str
    source: bytes

    def __str__(self) -> str:
        return f"{self.file}:{self.line} ({self.function})\n  - {self.before}\n  + {self.after}"


def mutants(file: str, source: bytes) -> list[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    found: dict[bytes, Mutant] = {}
    for node, function in _nodes(ast.parse(source), ""):
        for replaced, other in changes(node):
            if ast.dump(replaced) != ast.dump(other):
                mutant = _mutant(file, source, replaced, other, function)
                found.setdefault(mutant.source, mutant)
    return sorted(found.values(), key=lambda mutant: mutant.line)


def _nodes(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, str]]:
    """Every node that may be changed, and the name of the function or class that it is in."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".removeprefix(".")
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for child in (child for child in children if isinstance(child, ast.AST)):
            if name in STAYS:
                yield from _limits(child, function)
            elif not _stays(child, function):
                yield child, function
                # The parts of a format string have no exact places before Python 3.12.
                if not isinstance(child, ast.JoinedStr):
                    yield from _nodes(child, function)


def _limits(annotation: ast.AST, function: str) -> Iterator[tuple[ast.AST, str]]:
    for part in ast.walk(annotation):
        if isinstance(part, ast.Call) and getattr(part.func, "id", "") == "Meta":
            yield from _nodes(part, function)


def _stays(node: ast.AST, function: str) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.keyword) and node.arg in CLASS_SETTINGS:
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and not function:
        return True  # A union of types, outside of functions.
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id in TYPES
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("TypeVar", "cast")
    return False


def _mutant(file: str, source: bytes, node: ast.AST, other: ast.AST, function: str) -> Mutant:
    start, end = _span(source, node)
    text = ast.unparse(ast.fix_missing_locations(other))
    if isinstance(other, ast.expr):
        text = f"({text})"
    mutated = source[:start] + text.encode() + source[end:]
    begin, stop = source.rfind(b"\n", 0, start) + 1, source.find(b"\n", end)
    stop = len(source) if stop < 0 else stop
    before, after = source[begin:stop], mutated[begin : stop + len(mutated) - len(source)]
    line = 1 + source.count(b"\n", 0, start)
    return Mutant(file, function, line, _one_line(before), _one_line(after), mutated)


def _span(source: bytes, node: ast.AST) -> tuple[int, int]:
    """Where the node begins and ends, in bytes."""
    assert isinstance(node, ast.expr | ast.stmt)
    assert node.end_lineno is not None and node.end_col_offset is not None
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    return starts[node.lineno - 1] + node.col_offset, starts[
        node.end_lineno - 1
    ] + node.end_col_offset


def _one_line(text: bytes) -> str:
    return " ".join(text.decode().split())
