"""The answer to a command: its receipt, and the sender's view right after it."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from projections.disclosure import Viewer, named
from projections.timestamps import rfc3339
from service.application.command_queue import CommandResponse
from service.http.etags import etag
from service.http.incarnation_header import incarnation_header
from service.http.problems import MEDIA_TYPE, document
from service.http.responses import EncodedResponse, json_bytes
from service.http.schemas import Receipt
from service.instance import Instance
from service.signing.receipts import Receipted

_encoder = msgspec.json.Encoder()

NO_CODES: Mapping[str, str] = {}


class CommandAnswer(NamedTuple):
    """The status and the body that answer a command, as JSON, whatever carries them."""

    status: int
    body: bytes


def command_answer(
    answer: CommandResponse,
    sender: Viewer,
    key: str | None = None,
    codes: Mapping[str, str] = NO_CODES,
    receipted: Receipted | None = None,
) -> CommandAnswer:
    """201 for what is recorded, an invalid submission too, 200 for the same request again, and 422
    for what was refused.

    `codes` are the sentences of the game's own codes, `receipted` is the seat's signed receipt.
    """
    result = answer.result
    seat = sender if isinstance(sender, int) else None
    note, salt = (None, None) if receipted is None else (receipted.note, receipted.salt)
    receipt = Receipt(
        result.code is None,
        result.code,
        seat,
        answer.seq,
        rfc3339(result.at),
        key,
        note,
        salt,
        result.supersedes or UNSET,
    )
    code = result.refusal
    if code is not None:
        refused = document(code, status=422, title=codes.get(code), receipt=receipt)
        return CommandAnswer(422, _encoder.encode(refused))
    body = b'{"receipt":' + _encoder.encode(receipt) + b',"view":' + answer.view + b"}"
    return CommandAnswer(200 if result.replayed else 201, body)


def with_headers(
    instance: Instance, answer: CommandResponse, sender: Viewer, encoded: CommandAnswer
) -> EncodedResponse:
    """The answer to a command as the answer to a request."""
    headers = incarnation_header(instance)
    if answer.result.replayed:
        headers["Idempotent-Replayed"] = "true"
    if encoded.status == 422:
        return json_bytes(encoded.body, 422, headers, MEDIA_TYPE)
    headers["ETag"] = etag(named(sender), answer.view_seq, instance.edition)
    return json_bytes(encoded.body, encoded.status, headers)


def command_response(
    instance: Instance,
    answer: CommandResponse,
    sender: Viewer,
    receipted: Receipted | None = None,
) -> EncodedResponse:
    """The same for a command without a key, and without codes of a game."""
    encoded = command_answer(answer, sender, receipted=receipted)
    return with_headers(instance, answer, sender, encoded)
