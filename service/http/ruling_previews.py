"""Previews of rulings, and the answers to those that are made: the same for a match and for a
tournament."""

from hashlib import sha256

import msgspec
from litestar.response.base import ASGIResponse

from service.application.ruling_answers import Preview, RulingAnswer
from service.application.tournament_rulings import CorrectionAnswer
from service.http.etags import etag, expected_numbers, if_match
from service.http.operation import Answer
from service.http.problems import AnyRequest, Failed
from service.http.request_body import header
from service.http.responses import created, json, private_headers

IF_MATCH = if_match("The `ETag` of a preview: nothing may have happened since", "preview_needed")
PREVIEW = Answer(Preview, "A preview, with an `ETag`")

_canonical = msgspec.json.Encoder(order="deterministic")


def mark_of(sent: object) -> str:
    """What the previews of different rulings differ by."""
    return sha256(_canonical.encode([type(sent).__name__, sent])).hexdigest()[:16]


def previewed(number: int, preview: Preview, mark: str, edition: str) -> ASGIResponse:
    """A preview that holds at this number of events."""
    return json(preview, 200, private_headers(etag(_named(mark), number, edition)))


def expected_by(
    request: AnyRequest, mark: str, edition: str, *, needed: bool
) -> frozenset[int] | None:
    """The numbers of events at which this ruling was previewed; None for any. Raises Failed if a
    preview is needed and the request names none."""
    expected = expected_numbers(header(request, b"if-match"), _named(mark), edition)
    if needed and expected is None:
        raise Failed("preview_needed")
    return expected


def answered(answer: RulingAnswer | CorrectionAnswer, *, repeated: bool) -> ASGIResponse:
    """202 for a ruling that waits, otherwise as for all that is created."""
    if answer.status == "pending" and not repeated:
        return json(answer, 202, private_headers())
    return created(answer, repeated=repeated, headers=private_headers())


def _named(mark: str) -> str:
    """The beginning of the tag of a preview."""
    return f"ruling-{mark}"
