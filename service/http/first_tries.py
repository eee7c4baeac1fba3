"""Commands of requests that may have been tried before."""

from uuid import UUID

from domain.commands import Command, Conflict
from projections.disclosure import Viewer
from service.application.command_queue import CommandResponse
from service.application.first_tries import first_outcome
from service.event_store.checked_records import read_checked
from service.event_store.store_threads import in_store_thread
from service.instance import Instance
from service.observability.work import EVENT_READ, spend


async def executed(
    instance: Instance,
    match_id: UUID,
    command: Command,
    sender: Viewer,
    begun: int | None,
    expected: frozenset[int] | None = None,
) -> CommandResponse:
    """The answer to a command, which is carried out unless an earlier try of the request did, when
    so many events had `begun` the record."""
    if begun is not None and (first := await _first(instance, match_id, command, sender, begun)):
        return first
    try:
        return await instance.matches.execute(match_id, command, sender, expected)
    except Conflict:
        # The first try may have been carried out just now, on another instance.
        first = None if begun is None else await _first(instance, match_id, command, sender, begun)
        if first is None:
            raise
        return first


async def _first(
    instance: Instance, match_id: UUID, command: Command, sender: Viewer, begun: int
) -> CommandResponse | None:
    """The answer to the first try, if that was carried out."""
    length = (await instance.sessions.current(match_id)).length
    spend(EVENT_READ, length)
    read = await in_store_thread(read_checked, instance.store, match_id)
    result = first_outcome(read.records[:length], begun, command)
    if result is None:
        return None
    return await instance.matches.answer_again(match_id, sender, result)
