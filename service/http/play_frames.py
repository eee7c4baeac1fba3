"""The messages of `/play`: an action in, its answer out, and the end."""

import msgspec
from msgspec import Raw, Struct

from service.http.idempotency_header import check_key
from service.http.limits import BODY_LIMIT
from service.http.request_body import parsed
from service.streams.forms import text_frame

FRAME_LIMIT = BODY_LIMIT
"""Maximum bytes of a message: 64 KiB, as of a request's body."""


class ActionFrame(Struct, frozen=True, forbid_unknown_fields=True):
    """An action. `id` is its idempotency key, `if_match` what the header `If-Match` would be."""

    id: str
    action: Raw
    if_match: str | None = None


class _Named(Struct, frozen=True):
    """As much of a message as an answer to it has to name."""

    id: str


_decoder = msgspec.json.Decoder(ActionFrame)
_named = msgspec.json.Decoder(_Named)
_encoder = msgspec.json.Encoder()


def action_frame(message: bytes) -> ActionFrame:
    """The action in a message. Raises Failed: `not_json`, `wrong_shape`, `bad_idempotency_key`."""
    frame = parsed(message, _decoder)
    check_key(frame.id)
    return frame


def id_in(message: bytes) -> str | None:
    """The `id` of a message that is wrong; None where it has none that could be named."""
    try:
        return _named.decode(message).id
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def is_text(message: bytes) -> bool:
    """Whether a message is UTF-8, as every text frame has to be."""
    try:
        message.decode()
    except UnicodeDecodeError:
        return False
    return True


def answer_frame(to: str | None, status: int, body: bytes) -> bytes:
    """The frame of an answer with the status and body that it has over HTTP."""
    return text_frame(b'{"answer":%b,"status":%d,"body":%b}' % (_encoder.encode(to), status, body))


def end_frame(seq: int) -> bytes:
    """The frame behind the last line of a match that is over."""
    return text_frame(b'{"end":{"seq":%d}}' % seq)
