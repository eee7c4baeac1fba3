"""Lints the description with redocly and spectral: `python -m tests.clients.lint`."""

# ruff: noqa: T201

import shutil
import tempfile
from pathlib import Path

import msgspec

from service.app import api_description
from tests.support.web.npm_tools import install, tool

TOOLS = Path(__file__).parents[2] / "clients/tools/lint"
RULES = ("redocly.yaml", "spectral.yaml")


def lint(folder: Path) -> str:
    """What the linters say, installed in `folder`. Raises AssertionError with their words if they
    find anything."""
    install(TOOLS, folder)
    for name in RULES:
        shutil.copy(TOOLS / name, folder)
    (folder / "openapi.json").write_bytes(msgspec.json.encode(api_description()))
    strict = ("--ruleset", "spectral.yaml", "--fail-severity", "hint")
    said = tool(folder, "redocly", "lint", "openapi.json", "--max-problems", "1000")
    return said + tool(folder, "spectral", "lint", "openapi.json", *strict)


def main() -> None:
    """Prints what the linters say."""
    with tempfile.TemporaryDirectory() as made:
        print(lint(Path(made)))


if __name__ == "__main__":
    main()
