"""Commands of requests that may have been tried before."""

from domain.commands import Command, Conflict
from projections.disclosure import Viewer
from service.application.command_queue import CommandResponse
from service.application.first_tries import first_outcome
from service.event_store.checked_records import read_checked
from service.event_store.store_threads import in_store_thread
from service.http.dependencies import MatchCall
from service.http.idempotency import first_try
from service.observability.work import EVENT_READ, spend


async def executed(
    call: MatchCall, command: Command, sender: Viewer, expected: frozenset[int] | None = None
) -> CommandResponse:
    """The answer to a command, which is carried out unless an earlier try of the request did."""
    begun = first_try(call.request)
    if begun is not None and (found := await _first(call, command, sender, begun)) is not None:
        return found
    try:
        return await call.instance.matches.execute(call.id, command, sender, expected)
    except Conflict:
        # The first try may have been carried out just now, on another instance.
        if begun is None or (found := await _first(call, command, sender, begun)) is None:
            raise
        return found


async def _first(
    call: MatchCall, command: Command, sender: Viewer, begun: int
) -> CommandResponse | None:
    """The answer to the first try, if that was carried out."""
    length = (await call.instance.sessions.current(call.id)).length
    spend(EVENT_READ, length)
    read = await in_store_thread(read_checked, call.instance.store, call.id)
    result = first_outcome(read.records[:length], begun, command)
    if result is None:
        return None
    return await call.instance.matches.answer_again(call.id, sender, result)
