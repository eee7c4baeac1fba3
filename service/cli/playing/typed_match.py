"""A match as people type it: its id or the beginning of one, a file, or its address."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TextIO
from uuid import UUID

import rich_click as click
from msgspec import Struct

from arbiter_client import Match, Retries
from service.cli.ids import ID, WHOLE, digits_of, served_id, stored_id
from service.cli.options import data_option
from service.cli.service_connection import (
    RETRIES,
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
    """A match in a store: the digits of its id, or the first of them."""

    digits: str

    def id(self, data: Path) -> UUID:
        """Its id in the stores of a folder. Raises an error for the user."""
        return stored_id(data, self.digits, "match")


class InFile(Struct, frozen=True):
    """A match in a file, which may not exist."""

    path: Path


class AtService(Struct, frozen=True):
    """A match at a running service: the address of the service, the digits of its id, or the first
    of them, and the key with which to read it."""

    url: str
    digits: str
    key: str | None

    @contextmanager
    def connected(self, retries: Retries = RETRIES) -> Iterator[Match]:
        """A connection to it. Raises errors for the user, in which there is no key."""
        with connected_service(self.url, self.key, retries) as service:
            yield service.match(str(served_id(service, self.digits, "match")))


Place = InStore | InFile | AtService


def at_service(typed: str, url: str, key_file: TextIO | None) -> AtService:
    """A match that was typed as its address, like `https://play.example.org/v1/matches/<id>`, or as
    an id at a service. Raises an error for the user."""
    key = read_key(key_file)
    if not is_address(typed):
        return AtService(url, ID.convert(typed, None, None), key)
    found = _MATCH.fullmatch(typed)
    digits = None if found is None else digits_of(found[2])
    if found is None or digits is None:
        raise click.ClickException("the address of a match is https://…/v1/matches/<id>")
    return AtService(found[1], digits, key)


def place_of(typed: str, url: str | None, key_file: TextIO | None) -> Place:
    """Where the match is. A file goes before the beginning of an id, and a whole id before a file.
    Raises an error for the user."""
    if url is not None or is_address(typed):
        return at_service(typed, url or "", key_file)
    if key_file is not None:
        raise click.UsageError("--key-file is for the address of a match, or for --url")
    digits, path = digits_of(typed), Path(typed)
    if digits is None or (len(digits) < WHOLE and path.is_file()):
        return InFile(path)
    return InStore(digits)


def at_a_place(command: Callable[..., None]) -> Callable[..., None]:
    """`MATCH` with --url, --key-file and --data: the command is given the `place` of the match, and
    the folder `data`."""

    @click.argument("match")
    @url_option(told=URL_HELP)
    @key_option
    @data_option
    @wraps(command)
    def placed(
        match: str, url: str | None, key_file: TextIO | None, data: Path, **more: Any
    ) -> None:
        command(place=place_of(match, url, key_file), data=data, **more)

    return placed
