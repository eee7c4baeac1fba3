"""Lints the descriptions with redocly and spectral: `python -m tests.clients.lint`."""

# ruff: noqa: T201

import shutil
import tempfile
from pathlib import Path

import msgspec

from service.app import api_description
from service.http.asyncapi import asyncapi
from tests.support.web.npm_tools import install, tool

TOOLS = Path(__file__).parents[2] / "clients/tools/lint"
RULES = ("redocly.yaml", ".redocly.lint-ignore.yaml", "spectral.yaml")


def lint(folder: Path) -> str:
    """What the linters say, installed in `folder`. Raises AssertionError with their words if they
    find anything."""
    install(TOOLS, folder)
    for name in RULES:
        shutil.copy(TOOLS / name, folder)
    described = api_description()
    (folder / "openapi.json").write_bytes(msgspec.json.encode(described))
    (folder / "asyncapi.json").write_bytes(msgspec.json.encode(asyncapi(described)))
    documents = ("openapi.json", "asyncapi.json")
    strict = ("--ruleset", "spectral.yaml", "--fail-severity", "hint")
    said = tool(folder, "redocly", "lint", "openapi.json", "--max-problems", "1000")
    return said + tool(folder, "spectral", "lint", *documents, *strict)


def main() -> None:
    """Prints what the linters say."""
    with tempfile.TemporaryDirectory() as made:
        print(lint(Path(made)))


if __name__ == "__main__":
    main()
