"""A match as people type it: its id, a file, or its address."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TextIO
from uuid import UUID

import rich_click as click
from msgspec import Struct

from arbiter_client import Match
from service.cli.options import data_option
from service.cli.service_connection import (
    SERVICE,
    connected_service,
    is_address,
    key_option,
    read_key,
    url_option,
)

URL_HELP = "A running service on which MATCH is; without it, an id is one in the store."

_MATCH = re.compile(rf"({SERVICE.pattern})/v1/matches/([0-9A-Fa-f-]{{36}})/?")


class InStore(Struct, frozen=True):
    """A match in a store."""

    id: UUID


class InFile(Struct, frozen=True):
    """A match in a file, which may not exist."""

    path: Path


class AtService(Struct, frozen=True):
    """A match at a running service: the address of the service, and the key with which to read."""

    url: str
    id: UUID
    key: str | None

    @contextmanager
    def connected(self) -> Iterator[Match]:
        """A connection to it. Raises errors for the user, in which there is no key."""
        with connected_service(self.url, self.key) as service:
            yield service.match(str(self.id))


Place = InStore | InFile | AtService


def at_service(text: str, url: str, key_file: TextIO | None) -> AtService:
    """A match that was typed as its address, like `https://play.example.org/v1/matches/<id>`, or as
    an id at a service. Raises an error for the user."""
    key = read_key(key_file)
    if not is_address(text):
        return AtService(url, click.UUID.convert(text, None, None), key)
    parts = _MATCH.fullmatch(text)
    match = None if parts is None else _id(parts[2])
    if parts is None or match is None:
        raise click.ClickException("the address of a match is https://…/v1/matches/<id>")
    return AtService(parts[1], match, key)


def place_of(text: str, url: str | None, key_file: TextIO | None) -> Place:
    """Where the match is. Raises an error for the user."""
    if url is not None or is_address(text):
        return at_service(text, url or "", key_file)
    if key_file is not None:
        raise click.UsageError("--key-file is for the address of a match, or for --url")
    match = _id(text)
    return InFile(Path(text)) if match is None else InStore(match)


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def at_a_place(command: Callable[..., None]) -> Callable[..., None]:
    """`MATCH` with --url, --key-file and --data: the command is given the `place` of the match, and
    the folder `data`."""

    @click.argument("match")
    @url_option(help_text=URL_HELP)
    @key_option
    @data_option
    @wraps(command)
    def placed(
        match: str, url: str | None, key_file: TextIO | None, data: Path, **more: Any
    ) -> None:
        command(place=place_of(match, url, key_file), data=data, **more)

    return placed
