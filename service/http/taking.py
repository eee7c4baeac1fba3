"""The answer to a command: its receipt, and the sender's view right after it."""

from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import MediaType, Response

from projections.disclosure import Viewer, named
from projections.instants import rfc3339
from service.http.access import etag
from service.http.bodies import Receipt
from service.http.problems import problem
from service.matches import Answer

_encoder = msgspec.json.Encoder()


def taken(
    answer: Answer, sender: Viewer, key: str | None, codes: Mapping[str, str]
) -> Response[Any]:
    """201 for what is recorded, 200 for the same request again, and 422 for what was refused.

    `codes` are the sentences of the game's own codes.
    """
    verdict = answer.verdict
    seat = sender if isinstance(sender, int) else None
    receipt = Receipt(
        verdict.code is None, verdict.code, seat, answer.seq, rfc3339(verdict.at), key
    )
    headers = {"Idempotent-Replayed": "true"} if verdict.replayed else {}
    if verdict.code is not None:
        title = codes.get(verdict.code)
        return problem(verdict.code, status=422, title=title, receipt=receipt, headers=headers)
    headers["ETag"] = etag(named(sender), answer.view_seq)
    body = b'{"receipt":' + _encoder.encode(receipt) + b',"view":' + answer.view + b"}"
    status = 200 if verdict.replayed else 201
    return Response(body, status_code=status, media_type=MediaType.JSON, headers=headers)
