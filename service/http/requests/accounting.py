"""Accounts for what answers hand out to keys. Without a key no one is handed more than the public
sees, and nothing is accounted for."""

from uuid import UUID

from domain.people import Actor
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer, named
from service.application.evidence.reads import SEAT, KeyReading
from service.auth.grants import Grant
from service.event_store.errors import StoreUnavailable
from service.event_store.reads import Read
from service.instance import Instance

COUNTS_ONLY = 0
"""The number up to which someone has read who was only told how much is hidden."""

_ROLES = {"player": SEAT, "tournament_moderator": "moderator"}
"""The role in a match of the keys of a tournament."""


async def account_for(
    instance: Instance, grant: Grant, match_id: UUID, viewer: Viewer, seq: int
) -> None:
    """Accounts for an answer to a key that allows `grant` with what the audience sees up to its
    number `seq`. The answer may be sent when this returns. Raises StoreUnavailable."""
    reading = await reading_of(instance, grant, match_id, viewer)
    if reading is not None:
        await reading.add(seq)


async def reading_of(
    instance: Instance, grant: Grant, match_id: UUID, viewer: Viewer
) -> KeyReading | None:
    """What accounts for the reading of a match as an audience, by a key that allows `grant`.

    While the id of the key cannot be recorded its reads cannot be, either: then it is None, and
    StoreUnavailable is raised for what may be hidden.
    """
    role = _ROLES.get(grant.role, grant.role)
    if grant.holder is None and (role == SEAT or viewer == PUBLIC_VIEWER):
        return None
    holder = holder_of(grant)
    name = holder.by or await _name(instance, grant)
    read = Read(
        match=str(match_id),
        key_id=holder.key_id,
        audience=named(viewer),
        hidden=False,
        role=role,
        name=name,
        seq=0,
        first=0,
        last=0,
    )
    return KeyReading(instance.reads, instance.sessions, instance.clock.now, read)


def holder_of(grant: Grant) -> Actor:
    """Who has the key. Raises StoreUnavailable while its id could not be recorded."""
    if grant.holder is None:
        raise StoreUnavailable
    return grant.holder


async def _name(instance: Instance, grant: Grant) -> str | None:
    """The name of a player: the roster has it, and their keys have none."""
    if grant.tournament is None:
        return None
    names = (await instance.tournaments.cached(grant.tournament)).state.players
    return names[grant.number] if grant.number < len(names) else None
