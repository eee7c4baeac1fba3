"""The match that a request is about."""

from uuid import UUID

from domain.match_state import Match
from service.instance import Instance


async def current_match(instance: Instance, match_id: UUID) -> Match:
    """The match with all that is on record now. Raises UnknownMatch."""
    return (await instance.sessions.current(match_id)).match


async def cached_match(instance: Instance, match_id: UUID) -> Match:
    """The match as it is in memory, perhaps behind the record: enough for what never changes, such
    as its seats, and for knowing that it is over. Raises UnknownMatch."""
    return (await instance.sessions.cached(match_id)).match
