"""What a log and the notes about it are of: a match or a tournament."""

from re import Match
from typing import Literal, NamedTuple

Kind = Literal["match", "tournament"]

LINE = r"(?P<kind>match|tournament) (?P<id>[0-9a-f-]{36})\n"
"""The line by which a note names its subject."""


class Subject(NamedTuple):
    """A match or a tournament, by its id."""

    kind: Kind
    id: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


def of_match(match: str) -> Subject:
    """A match."""
    return Subject("match", match)


def named_in(parts: Match[str]) -> Subject:
    """The subject that a `LINE` names."""
    return Subject("match" if parts["kind"] == "match" else "tournament", parts["id"])
