"""The package of the Python client: its version, and what it needs."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import arbiter_client
from tests.support.servers.live_server import Live, live

__all__ = ["live"]

CLIENT = Path(__file__).parents[3] / "clients/python"


def test_its_version_is_that_of_the_api(live: Live) -> None:
    described = live.anyone.get("/schema/openapi.json").json()
    assert described["info"]["version"] == arbiter_client.__version__


def test_it_needs_what_it_declares_and_nothing_of_the_service() -> None:
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["signatures"]]
    named = {re.split("[<>=]", one)[0] for one in declared}
    trees = [ast.parse(path.read_text()) for path in (CLIENT / "src").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {n.module.split(".")[0] for n in nodes if isinstance(n, ast.ImportFrom) and n.module}
    imported |= {a.name.split(".")[0] for n in nodes if isinstance(n, ast.Import) for a in n.names}
    assert imported - sys.stdlib_module_names == named | {"arbiter_client"}
