"""Previews of rulings, and the answers to those that are made: the same for a match and for a
tournament."""

from hashlib import sha256
from typing import Annotated, NamedTuple, TypeVar

import msgspec
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from service.application.ruling_answers import Preview, RulingAnswer
from service.application.tournament_rulings import CorrectionAnswer
from service.http.etags import etag, expected_numbers
from service.http.headers import if_match
from service.http.problems import Failed
from service.http.responses import Answer, created, private_headers
from service.instance import Instance

A = TypeVar("A", RulingAnswer, CorrectionAnswer)

IfMatchPreview = Annotated[
    str | None, if_match("The `ETag` of a preview: nothing may have happened since")
]
PREVIEW = ResponseSpec(Preview, generate_examples=False, description="A preview, with an `ETag`")

_canonical = msgspec.json.Encoder(order="deterministic")


def mark_of(sent: object) -> str:
    """What the previews of different rulings differ by."""
    return sha256(_canonical.encode([type(sent).__name__, sent])).hexdigest()[:16]


class Previews(NamedTuple):
    """The previews of an edition of the service, of which a request names one in `seen`."""

    edition: str
    seen: str | None

    def answer(self, number: int, preview: Preview, mark: str) -> Answer[Preview]:
        """A preview that holds at this number of events."""
        return Answer(preview, 200, private_headers(etag(_named(mark), number, self.edition)))

    def expected(self, mark: str, *, needed: bool) -> frozenset[int] | None:
        """The numbers of events at which this ruling was previewed; None for any. Raises Failed if
        a preview is needed and the request names none."""
        expected = expected_numbers(self.seen, _named(mark), self.edition)
        if needed and expected is None:
            raise Failed("preview_needed")
        return expected


def previews(instance: NamedDependency[Instance], if_match: IfMatchPreview = None) -> Previews:
    """The preview that a request names, for handlers."""
    return Previews(instance.edition, if_match)


def answered(answer: A, *, repeated: bool) -> Answer[A]:
    """202 for a ruling that waits, otherwise as for all that is created."""
    if answer.status == "pending" and not repeated:
        return Answer(answer, 202, private_headers())
    return created(answer, repeated=repeated, headers=private_headers())


def _named(mark: str) -> str:
    """The beginning of the tag of a preview."""
    return f"ruling-{mark}"
