"""The package of the Python client: its version, and what it needs."""

import ast
import re
import sys
import tomllib
from pathlib import Path

CLIENT = Path(__file__).parents[3] / "clients/python"


def named(requirement: str) -> str:
    return re.split("[<>=]", requirement)[0]


def declared() -> set[str]:
    """The packages that it needs, also to check signatures."""
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]
    every = [*project["dependencies"], *project["optional-dependencies"]["signatures"]]
    return {named(one) for one in every}


def test_it_needs_what_it_declares_and_nothing_of_the_service() -> None:
    trees = [ast.parse(path.read_text()) for path in (CLIENT / "src").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {n.module.split(".")[0] for n in nodes if isinstance(n, ast.ImportFrom) and n.module}
    imported |= {a.name.split(".")[0] for n in nodes if isinstance(n, ast.Import) for a in n.names}
    assert imported - sys.stdlib_module_names == declared() | {"arbiter_client"}


def test_the_service_contains_it_and_needs_what_it_needs() -> None:
    service = tomllib.loads((CLIENT.parents[1] / "pyproject.toml").read_text())
    wheel = service["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "clients/python/src/arbiter_client" in wheel["packages"]
    assert declared() <= {named(one) for one in service["project"]["dependencies"]}
