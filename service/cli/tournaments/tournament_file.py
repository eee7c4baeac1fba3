"""What a tournament is created from: a file in TOML, YAML or JSON, with the players in it or in a
file of their own, which may be a CSV."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO, TypeVar

import msgspec
import rich_click as click
from msgspec import Meta, Struct

T = TypeVar("T")


class Person(Struct, frozen=True, forbid_unknown_fields=True):
    """A player as the roster has them."""

    name: str
    rating: int | None = None
    seed: int | None = None
    team: str | None = None
    garnets: int = 0
    external_id: str | None = None


class TournamentFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament with its stages, whose settings are those of the API."""

    name: Annotated[str, Meta(min_length=1)]
    players: tuple[str | Person, ...] = ()
    moderators: tuple[str, ...] = ()
    stages: tuple[dict[str, Any], ...] = ()

    @property
    def people(self) -> Sequence[Person]:
        """The players, in order of entry."""
        return [Person(player) if isinstance(player, str) else player for player in self.players]


def read_tournament(file: TextIO) -> TournamentFile:
    """The tournament of a file. Raises UsageError, which says where it is wrong."""
    return _read(file, TournamentFile)


def read_people(file: TextIO) -> Sequence[Person]:
    """The players of a CSV with a head, or of another file with a list. Raises UsageError."""
    if Path(file.name).suffix.lower() != ".csv":
        players = _read(file, tuple[str | Person, ...])
        return TournamentFile("-", players).people
    rows = csv.DictReader(file)
    people = []
    for row in rows:
        fields = {name: value for name, value in row.items() if value not in (None, "")}
        try:
            people.append(msgspec.convert(fields, Person, strict=False, str_keys=True))
        except msgspec.ValidationError as error:
            raise click.UsageError(f"{file.name}, line {rows.line_num}: {error}") from None
    return people


def _read(file: TextIO, kind: type[T]) -> T:
    """A file by its ending; YAML holds JSON, too."""
    toml = Path(file.name).suffix.lower() == ".toml"
    decode = msgspec.toml.decode if toml else msgspec.yaml.decode
    try:
        return decode(file.read(), type=kind)
    except msgspec.DecodeError as error:
        raise click.UsageError(f"{file.name}: {error}") from None
