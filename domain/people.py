"""People: who gave an input, and which names are one person's (/docs/api#names)."""

from collections.abc import Collection, Iterable
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.events import Instant
from domain.match.events import Directed
from domain.names import is_of, person_of


class KeyOrigin(Struct, frozen=True):
    """Who issued a key, by name and by the id of their own key, and since when it has been its
    holder's: accepted by an invitation, or renewed. Until then (None) the issuer may have it,
    too."""

    by: str | None
    key_id: str
    since: Instant | None = None

    @property
    def person(self) -> str:
        """The issuer; see `Actor.person`."""
        return _person(self.by, self.key_id)


class Actor(Struct, frozen=True):
    """Who directs a match: the name for which their key was issued, None for a key without one,
    the id of that key, which says nothing about the key, and its origin where that matters. Of a
    `seat`, which asks for a ruling, no name is said: the record says whose the seat is."""

    by: str | None
    key_id: str
    origin: KeyOrigin | UnsetType = UNSET
    seat: int | UnsetType = UNSET

    @classmethod
    def of(cls, directed: Directed) -> "Actor":
        """Who gave an input, as the record says."""
        who = cls(directed.by, directed.key_id, seat=directed.giver)
        if directed.issuer is UNSET:
            return who
        by, since = directed.issued_by or None, directed.theirs_since or None
        return replace(who, origin=KeyOrigin(by, directed.issuer, since))

    def record_fields(self, *, judges: bool) -> dict[str, Any]:
        """What the record says of them; of one who `judges` what someone did, also whose the key
        is."""
        fields = {"by": self.by, "key_id": self.key_id, "giver": self.seat}
        if not judges or isinstance(self.origin, UnsetType):
            return fields
        issuer = {"issued_by": self.origin.by, "issuer": self.origin.key_id}
        return fields | issuer | {"theirs_since": self.origin.since}

    @property
    def person(self) -> str:
        """What is equal for all keys of one person: the name however spelt, or else the key; of a
        seat, its number."""
        if self.seat is not UNSET:
            return f"seat {self.seat}"
        return _person(self.by, self.key_id)

    def is_one_of(self, names: Iterable[str]) -> bool:
        """Whether they have one of these names, however it is written."""
        return self.by is not None and is_of(self.by, names)

    def fault(self, people: Collection[str | None], same: str) -> str | None:
        """The code with which they are refused who must be another person than these people, `same`
        if they are one of them: a key without a name is no one's in particular, and one that these
        people issued may still be in their hands (/docs/rulings#with-two-people). None if they
        may."""
        if not people:
            return None
        if self.by is None or self.person in people:
            return same
        origin = self.origin or None
        if origin is not None and origin.since is None and origin.person in people:
            return "key_not_renewed"
        return None


OPERATOR = Actor(None, "operator")
"""The operator on the service's own machine, and the service for what it does by itself."""


def _person(by: str | None, key_id: str) -> str:
    return f"key {key_id}" if by is None else named_person(by)


def named_person(name: str) -> str:
    """What is equal for all spellings of a person's name."""
    return f"name {person_of(name)}"
