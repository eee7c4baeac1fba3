"""The answer to a command: its receipt, and the sender's view right after it."""

from collections.abc import Mapping
from uuid import UUID

import msgspec
from litestar.response.base import ASGIResponse
from msgspec import Struct

from projections.disclosure import Viewer, named
from projections.timestamps import rfc3339
from service.application.command_queue import CommandResponse
from service.http.described import CONTENT
from service.http.etags import etag, incarnation_header
from service.http.problems import problem
from service.http.request_body import JSON
from service.http.responses import ViewInAnswer, json_bytes
from service.http.schemas import Receipt, Taken
from service.instance import Instance
from service.signing.receipts import Receipted

_encoder = msgspec.json.Encoder()

TAKEN = {CONTENT: {JSON: Taken}}
"""In the `opt` of a route that answers so."""

NO_CODES: Mapping[str, str] = {}


def command_response(
    instance: Instance,
    match_id: UUID,
    answer: CommandResponse,
    sender: Viewer,
    key: str | None = None,
    codes: Mapping[str, str] = NO_CODES,
    receipted: Receipted | None = None,
) -> ASGIResponse:
    """201 for what is recorded, an invalid submission too, 200 for the same request again, and 422
    for what was refused.

    `codes` are the sentences of the game's own codes, `receipted` is the seat's signed receipt.
    """
    result = answer.result
    seat = sender if isinstance(sender, int) else None
    note, salt = (None, None) if receipted is None else (receipted.note, receipted.salt)
    receipt = Receipt(
        valid=result.code is None,
        code=result.code,
        seat=seat,
        seq=answer.seq,
        at=rfc3339(result.at),
        idempotency_key=key,
        note=note,
        salt=salt,
    )
    headers = incarnation_header(instance)
    if result.replayed:
        headers["Idempotent-Replayed"] = "true"
    code = result.refusal
    if code is not None:
        title = codes.get(code)
        return problem(code, status=422, title=title, headers=headers, receipt=receipt)
    headers["ETag"] = etag(named(sender), answer.view_seq, instance.edition)
    body = b'{"receipt":' + _written(receipt, result.game_note) + b',"view":' + answer.view + b"}"
    shown = ViewInAnswer(match_id, named(sender), answer.view_seq, answer.view)
    return json_bytes(body, 200 if result.replayed else 201, headers, view=shown)


def _written(receipt: Receipt, game_note: Struct | None) -> bytes:
    """The receipt as JSON; the fields of the game's note follow its own."""
    if game_note is None:
        return _encoder.encode(receipt)
    own = msgspec.to_builtins(receipt, builtin_types=(bytes,))
    return _encoder.encode(own | msgspec.to_builtins(game_note))
