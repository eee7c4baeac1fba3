"""`@arbiter/client` as npm would install it, and programs that use it."""

import subprocess
from pathlib import Path
from typing import Any

import msgspec

from service.app import api_description
from tests.support.repository import ROOT
from tests.support.web.node_program import node
from tests.support.web.npm_tools import installed, made_once, tool

CLIENT = ROOT / "clients/typescript"
TOOLS = ROOT / "clients/tools/generate"

SCHEMA = CLIENT / "src/schema.ts"
"""The types that openapi-typescript makes from the description."""


def package() -> Path:
    """The folder of the package, compiled."""
    sources = [*sorted((CLIENT / "src").glob("*.ts")), CLIENT / "tsconfig.json", *_pinned()]

    def make(folder: Path) -> None:
        package_json = (CLIENT / "package.json").read_bytes()
        (folder / "package.json").write_bytes(package_json)
        tool(installed(TOOLS), "tsc", "-p", str(CLIENT), "--outDir", str(folder / "dist"))

    return made_once("client", sources, make)


def provide(folder: Path) -> None:
    """Programs in the folder can import the package."""
    scope = folder / "node_modules/@arbiter"
    scope.mkdir(parents=True)
    (scope / "client").symlink_to(package())


def started(program: Path, *arguments: str) -> subprocess.Popen[str]:
    """A program of node that runs."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [node(), str(program), *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def printed(running: subprocess.Popen[str], patience: float) -> str:
    """What a program prints until it ends by itself, within seconds. Raises AssertionError with
    what it complains about."""
    try:
        output, complaint = running.communicate(timeout=patience)
    finally:
        running.kill()
    assert running.returncode == 0, complaint[-3000:]
    return output


def generate_schema(schema: Path) -> None:
    """Writes the types of all schemas of the description: what is optional in a request because it
    has a default is optional."""
    described = api_description()
    schemas = {"schemas": with_tuples(described["components"]["schemas"])}
    document = {key: described[key] for key in ("openapi", "info")}
    source = schema.with_suffix(".json")
    source.write_bytes(msgspec.json.encode({**document, "paths": {}, "components": schemas}))
    tools = installed(TOOLS)
    options = ("--default-non-nullable=false", "-o", str(schema))
    tool(tools, "openapi-typescript", str(source), *options)
    source.unlink()


def with_tuples(schema: Any) -> Any:
    """The schema with the parts of what is sent as a list of a certain length one by one: the
    generator makes a tuple of them alone. Bodies of requests are closed, and stay as they are."""
    match schema:
        case {"additionalProperties": False}:
            return schema
        case {"items": item, "minItems": int(least), "maxItems": most} if least == most:
            rest = {word: value for word, value in schema.items() if word != "items"}
            return {**rest, "prefixItems": [with_tuples(item)] * least}
        case dict():
            return {word: with_tuples(value) for word, value in schema.items()}
        case list():
            return [with_tuples(value) for value in schema]
    return schema


def _pinned() -> list[Path]:
    return [CLIENT / "package.json", TOOLS / "package-lock.json"]
