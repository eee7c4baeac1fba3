"""The import contracts hold, and name every game."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from domain.games import GAMES

ROOT = Path(__file__).parent.parent
LINT = (
    "import sys; sys.path.insert(0, '.'); "
    "from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])"
)


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT], cwd=tree, capture_output=True, text=True, check=False
    )


def contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return found


def test_the_tree_meets_its_contracts() -> None:
    linted = lint(ROOT)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    assert f"{len(contracts())} kept, 0 broken" in linted.stdout


def test_every_game_is_independent_of_its_neighbours_and_has_its_own_layers() -> None:
    """The contracts name everything in the folder, and those are the games that are played."""
    folder = ROOT / "domain" / "games"
    found = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert found - {"__init__", "__pycache__"} == {name.replace("-", "_") for name in GAMES}
    independent = {m for c in contracts() if c["id"] == "neighbours" for m in c["modules"]}
    ordered = {m for c in contracts() if c["type"] == "layers" for m in c.get("containers", ())}
    assert independent == {"domain.games.*"} <= ordered


INSIDE = ("eventsourcing", "httptools", "litestar")
"""Libraries of which the service subclasses or goes around a part that is not for that."""


@pytest.mark.parametrize("name", INSIDE)
def test_a_library_whose_inside_is_used_has_the_version_that_was_tested(name: str) -> None:
    """Each is pinned (`~=`): another version is looked at, and then named in `pyproject.toml`."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (wanted,) = (
        found
        for found in map(Requirement, settings["project"]["dependencies"])
        if found.name == name
    )
    assert [spec.operator for spec in wanted.specifier] == ["~="]
    assert version(name) in wanted.specifier


PURE = {
    "abc", "base64", "bisect", "collections", "dataclasses", "domain", "enum", "fractions",
    "functools", "hashlib", "hmac", "idna", "itertools", "math", "msgspec", "re", "typing",
    "unicodedata", "zlib",
}  # fmt: skip
"""Everything that `domain` may import: a list of what is forbidden never ends."""

MATCHING = {"contextlib", "contextvars", "importlib", "networkx", "py4swiss"}

SEARCHING = {
    ROOT / "domain/registry.py": {"importlib", "pkgutil", "types"},
    ROOT / "projections/texts/__init__.py": {"importlib"},
    ROOT / "domain/tournament/dutch.py": {"caissify_pairings"},
    ROOT / "domain/tournament/matching.py": MATCHING,
    ROOT / "projections/tournaments/reports.py": {"caissify_pairings", "csv", "io"},
}
"""What may import more: to find the games and the texts, to pair, and to write for other programs;
nothing else does."""

PROJECTING = PURE | {
    "array", "cryptography", "datetime", "operator", "projections", "struct", "zlib",
}  # fmt: skip
"""Modules that projections may import as well: they check signatures and lay out bundles."""


def imported(path: Path) -> set[str]:
    """The first names of all modules that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            names.add((node.module or ".").split(".")[0])
    return names


@pytest.mark.parametrize(("package", "allowed"), [("domain", PURE), ("projections", PROJECTING)])
def test_pure_modules_import_only_pure_modules(package: str, allowed: set[str]) -> None:
    for path in (ROOT / package).rglob("*.py"):
        assert imported(path) <= allowed | SEARCHING.get(path, set()), path


def test_nothing_but_a_game_and_its_board_knows_the_game() -> None:
    """Neither do other modules import one, nor do they name it."""
    folders = ("domain/games", "projections/boards", "projections/pictures")
    own = tuple(ROOT / folder for folder in folders)
    words = {f'"{name}"' for name in GAMES}
    words |= {f"domain.games.{name.replace('-', '_')}" for name in GAMES}
    for package in ("domain", "projections"):
        for path in (ROOT / package).rglob("*.py"):
            if not any(path.is_relative_to(folder) for folder in own):
                source = path.read_text()
                assert not [word for word in words if word in source], path


def test_types_that_threads_decode_are_inspected_at_import() -> None:
    # msgspec inspects a class at its first use; two threads that meet there crash the process. The
    # command line has one thread.
    served = (path for path in (ROOT / "service").rglob("*.py") if "cli" not in path.parts)
    decoded = [
        f"{path.relative_to(ROOT)}: {ast.unparse(call)}"
        for path in served
        for call in decodings(path)
    ]
    assert decoded == []


def decodings(path: Path) -> Iterator[ast.Call]:
    """Calls of msgspec's `decode` with a class as their type."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            ("json.decode", "msgpack.decode")
        ):
            for given in node.keywords:
                if given.arg == "type" and isinstance(given.value, ast.Name):
                    yield node


MOST_PLACES = 6
"""Things that a constructor takes, and that a call names by their places alone."""


def test_nothing_takes_more_than_six_things_by_their_places() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {ast.unparse(node)[:80]}"
        for folder in ("clients/python/src", "domain", "projections", "service")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if _places(node) > MOST_PLACES
    ]
    assert long == []


def _places(node: ast.AST) -> int:
    """How many things a constructor takes, or a call of a class passes by their places."""
    if isinstance(node, ast.FunctionDef) and node.name == "__init__":
        return len(node.args.args) + len(node.args.kwonlyargs) - 1
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return len(node.args) if node.func.id[0].isupper() else 0
    return 0


SAYS_NOTHING = {
    "asked", "done", "each", "found", "given", "held", "kept", "known", "left", "made", "named",
    "one", "planned", "planted", "ruled", "said", "seen", "shown", "signed", "spelt", "stored",
    "told", "typed", "used", "wanted", "written",
}  # fmt: skip
"""Names of values that do not say what the value is, as `match`, `row` or `answer` do."""


def test_a_value_is_called_what_it_is() -> None:
    nameless = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for folder in ("domain", "projections", "service")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name, line in _values(ast.parse(path.read_text()))
        if name in SAYS_NOTHING
    ]
    assert nameless == []


def _values(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The names of parameters and variables, with their lines. Fields of classes are formats."""
    fields = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.Assign | ast.AnnAssign)
        for part in ast.walk(line)
    }
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=str(name)) | ast.MatchAs(name=str(name)):
                yield name, node.lineno
            case ast.Name(id=name, ctx=ast.Store()) if node not in fields:
                yield name, node.lineno
