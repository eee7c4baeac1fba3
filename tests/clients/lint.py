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


def main() -> None:
    """Raises AssertionError with what a linter says."""
    described = api_description()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        install(TOOLS, folder)
        for name in ("redocly.yaml", "spectral.yaml", "spectral-streams.yaml"):
            shutil.copy(TOOLS / name, folder)
        (folder / "openapi.json").write_bytes(msgspec.json.encode(described))
        (folder / "asyncapi.json").write_bytes(msgspec.json.encode(asyncapi(described)))
        print(tool(folder, "redocly", "lint", "openapi.json", "--max-problems", "1000"))
        for document, rules in (("openapi", "spectral"), ("asyncapi", "spectral-streams")):
            strict = ("--ruleset", f"{rules}.yaml", "--fail-severity", "warn")
            print(tool(folder, "spectral", "lint", f"{document}.json", *strict))


if __name__ == "__main__":
    main()
