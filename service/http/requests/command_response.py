"""Commands of requests, and their answers: a receipt, and the sender's view right after it."""

from collections.abc import Mapping
from contextlib import suppress

import msgspec
from litestar.response.base import ASGIResponse
from msgspec import UNSET, Struct, UnsetType

from domain.match.commands import Command
from domain.people import Actor
from projections.audience.disclosure import name_audience
from projections.audience.view import View
from projections.fields import rfc3339
from service.application.matches.command_queue import CommandResponse, PreconditionFailed
from service.application.matches.first_tries import first_outcome
from service.event_store.integrity.checked_records import read_checked
from service.event_store.store_threads import in_store_thread
from service.http.errors.problems import Receipt, problem
from service.http.requests.dependencies import MatchRequest
from service.http.requests.idempotency import first_try
from service.http.requests.request_body import JSON
from service.http.requests.responses import (
    MINIMAL,
    ViewInAnswer,
    etag,
    incarnation_header,
    is_minimal,
    json_bytes,
)
from service.observability.work import EVENT_READ, spend
from service.signing.receipts import Receipted

_encoder = msgspec.json.Encoder()


class Taken(Struct, frozen=True):
    """The receipt of a recorded command, and the sender's view right after it, unless the request
    preferred a minimal answer."""

    receipt: Receipt
    view: View | UnsetType = UNSET


TAKEN = {"content": {JSON: Taken}, "looks_back": True}
"""Options of a route that answers so."""

NO_CODES: Mapping[str, str] = {}


async def executed(
    sent: MatchRequest, command: Command, expected: frozenset[int] | None = None
) -> CommandResponse:
    """The answer to a command, which is carried out unless an earlier try of the request was, here
    or on another instance: that is looked for on the record, and the command is decided only if the
    sender has done nothing since."""
    length_before, sessions = first_try(sent.request), sent.instance.sessions
    execute = sent.instance.matches.execute
    while length_before is not None:
        loaded, projection = await sessions.projection(sent.id, sent.own)
        seq, has_grown = projection.seq, loaded.length > length_before
        if has_grown and (first := await _first(sent, command, length_before)):
            return first
        if expected is not None and seq not in expected:
            break
        with suppress(PreconditionFailed):
            return await execute(sent.id, command, sent.own, frozenset({seq}))
    return await execute(sent.id, command, sent.own, expected)


async def _first(
    sent: MatchRequest, command: Command, length_before: int
) -> CommandResponse | None:
    """The answer to the first try, if that was carried out."""
    length = (await sent.instance.sessions.current(sent.id)).length
    spend(EVENT_READ, length)
    records_read = await in_store_thread(read_checked, sent.instance.store, sent.id)
    result = first_outcome(records_read.records[:length], length_before, command)
    if result is None:
        return None
    return await sent.instance.matches.answer_again(sent.id, sent.own, result)


async def ordered(
    sent: MatchRequest, command: Command, actor: Actor, expected: frozenset[int] | None = None
) -> ASGIResponse:
    """The answer to what someone orders in a match, accounted for."""
    answer = await executed(sent, command, expected)
    receipt = await order_receipt(sent, actor, index=answer.result.position - 1)
    await sent.account(sent.own, answer.view_seq)
    return command_response(sent, answer, receipted=receipt)


async def order_receipt(
    sent: MatchRequest, actor: Actor, *, index: int | None = None, ruling: str | None = None
) -> Receipted | None:
    """The receipt for what someone has just ordered: the event at this index of the record, or
    their first word on this ruling. None if it is not on record."""
    loaded = await sent.instance.sessions.with_chains(sent.id)
    for order in loaded.noted(actor.person):
        if order.index == index or (ruling is not None and order.ruling == ruling):
            acknowledged = order.acknowledged(loaded.secrets.log_key)
            return sent.instance.receipts.give(sent.id, acknowledged, sealed=True)
    return None


def command_response(
    sent: MatchRequest,
    answer: CommandResponse,
    key: str | None = None,
    codes: Mapping[str, str] = NO_CODES,
    receipted: Receipted | None = None,
    prefer: str | None = None,
) -> ASGIResponse:
    """201 for what is recorded, an invalid submission too, 200 for the same request again, and 422
    for what was refused.

    `codes` are the sentences of the game's own codes, `receipted` is the seat's signed receipt,
    `prefer` the header of the request.
    """
    instance, sender, result = sent.instance, sent.own, answer.result
    receipt = Receipt(
        valid=result.code is None,
        code=result.code,
        seat=sender if isinstance(sender, int) else None,
        seq=answer.seq,
        at=rfc3339(result.at),
        idempotency_key=key,
        note=None if receipted is None else receipted.note,
        salt=None if receipted is None else receipted.salt,
    )
    headers = incarnation_header(instance)
    if result.replayed:
        headers["Idempotent-Replayed"] = "true"
    code = result.refusal
    if code is not None:
        title = codes.get(code)
        return problem(code, status=422, title=title, headers=headers, receipt=receipt)
    headers["ETag"] = etag(
        name_audience(sender), answer.view_seq, instance.edition, answer.withheld
    )
    receipt_json = _encoder.encode(receipt)
    if result.game_note is not None:
        # The fields of the game's note follow its own.
        own = msgspec.to_builtins(receipt, builtin_types=(bytes,))
        receipt_json = _encoder.encode(own | msgspec.to_builtins(result.game_note))
    status = 200 if result.replayed else 201
    if is_minimal(prefer):
        headers["Preference-Applied"] = MINIMAL
        return json_bytes(b'{"receipt":' + receipt_json + b"}", status, headers)
    body = b'{"receipt":' + receipt_json + b',"view":' + answer.view + b"}"
    view_in_answer = ViewInAnswer(sent.id, name_audience(sender), answer.view_seq, answer.view)
    return json_bytes(body, status, headers, view=view_in_answer)
