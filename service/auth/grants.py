"""What keys allow, and to whom."""

import hmac
from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from domain.people import Actor, KeyOrigin
from service.auth.keyring import ORGANISERS, RingKey, Slot

Role = Literal["organiser", "moderator", "seat", "player", "tournament_moderator"]

_OF_TOURNAMENTS: Mapping[str, Role] = {"o": "organiser", "p": "player", "m": "tournament_moderator"}
"""By how the slots of a tournament's keys begin."""


class Grant(Struct, frozen=True):
    """What a key allows: to organise, to moderate `match`, or to play in its `seat`. In a
    `tournament`: to be its organiser, player or moderator `number`, with the rights of that role in
    each of its matches. `holder` is who has the key, None while its id could not be recorded. A
    seat's key is for the holder of the seat with the number `tenure` alone. `origin` is where the
    key comes from; None for the one from the settings."""

    role: Role
    match: UUID | None = None
    seat: int | None = None
    tournament: UUID | None = None
    number: int = 0
    holder: Actor | None = None
    tenure: int = 0
    origin: KeyOrigin | None = None

    @property
    def is_service(self) -> bool:
        """Whether it is the service's own key, which may do everything: an organiser's without a
        name. One with a name is a person's."""
        has_name = self.holder is not None and self.holder.by is not None
        return self.role == "organiser" and self.tournament is None and not has_name

    def is_of(self, maker: Actor | KeyOrigin | None) -> bool:
        """Whether the person who has the key is this one."""
        if self.holder is None or maker is None:
            return False
        return self.holder.person == maker.person


Grants = Mapping[bytes, Grant]
"""What the valid keys of a slot allow, by their hashes."""


def grant_of(slot: Slot, ring: UUID) -> Grant:
    """What the keys of a slot allow."""
    if ring == ORGANISERS:
        return Grant("organiser")
    if slot == "mod":
        return Grant("moderator", ring)
    kind, number = slot[0], int(slot[1:])
    if kind == "s":
        return Grant("seat", ring, number)
    return Grant(_OF_TOURNAMENTS[kind], None, None, ring, number)


def grant_of_key(key: RingKey, ring: UUID) -> Grant:
    """What this key of a ring allows, and to whom."""
    holder = Actor(key.name or None, key.id)
    return replace(grant_of(key.slot, ring), holder=holder, tenure=key.tenure, origin=key.origin)


def matching(grants: Grants, key_hash: bytes) -> Grant | None:
    """The grant of a key with this hash; None if it is not valid. Compares with all hashes, so that
    the time says nothing about them."""
    match_found = None
    for valid, grant in grants.items():
        if hmac.compare_digest(key_hash, valid):
            match_found = grant
    return match_found
