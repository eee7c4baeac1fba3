"""A match as people type it: its id or the beginning of one, a file, or its address."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from pathlib import Path
from typing import Any, TextIO
from uuid import UUID

import rich_click as click
from msgspec import Struct

from arbiter_client import Match
from service.cli.ids import ID, WHOLE, digits_of, served_id, stored_id
from service.cli.options import data_option
from service.cli.service_connection import (
    connected,
    connected_service,
    is_address,
    key_option,
    read_key,
    url_option,
)

URL_HELP = "A running service on which MATCH is; without it, an id is one in the store."


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
    """A match at a running service, by its address or by its id, and the key with which to read
    it."""

    typed: str
    url: str
    key: str | None

    @property
    def service(self) -> str:
        """The address of the service."""
        return self.typed.rpartition("/v1/matches/")[0] if is_address(self.typed) else self.url

    def address(self) -> str:
        """Its address. Raises an error for the user if an id is not that of one match there."""
        whole = is_address(self.typed)
        return self.typed if whole else f"{self.url}/v1/matches/{self.id_of(self.typed)}"

    def connected(self) -> AbstractContextManager[Match]:
        """A connection to it. Raises an error for the user."""
        return connected(self.address(), self.key)

    def id_of(self, typed: str) -> str:
        """The id of a match at this service that was typed, or its beginning. Raises an error for
        the user."""
        digits = ID.convert(typed, None, None)
        with connected_service(self.service, self.key) as service:
            return str(served_id(service, digits, "match"))


Place = InStore | InFile | AtService


def place_of(typed: str, url: str | None, key_file: TextIO | None) -> Place:
    """Where the match is. A file goes before the beginning of an id, and a whole id before a file.
    Raises an error for the user."""
    if url is not None or is_address(typed):
        return AtService(typed, url or "", read_key(key_file))
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
