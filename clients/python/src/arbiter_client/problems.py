"""What can go wrong, as exceptions."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from arbiter_client.answers import Event, Receipt


class Mistake(Struct, frozen=True):
    """A part of a request that is wrong, and what would be right. `pointer` (RFC 6901) is there if
    it is in the body, `name` for a parameter or a header."""

    part: str = field(name="in", default="")
    code: str = ""
    detail: str = ""
    pointer: str | None = None
    name: str | None = None
    allowed: tuple[Any, ...] | None = None
    did_you_mean: Any = None


class Problem(Struct, frozen=True):
    """A problem document (RFC 9457). `code` is stable and for programs."""

    status: int = 0
    code: str = ""
    title: str = ""
    detail: str | None = None
    errors: tuple[Mistake, ...] = ()
    retry_after: float | None = None
    match_status: str | None = None
    receipt: Receipt | None = None


class ArbiterError(Exception):
    """Anything that this client raises by itself."""


class Disconnected(ArbiterError):
    """There was no answer. What was sent may have been done all the same."""


class NotSent(Disconnected):
    """There was no connection: nothing was sent."""


class NotUnderstood(ArbiterError):
    """The answer is not one of the API for which this client was made: the service is older or
    newer, or something else."""


class WrongCommitment(ArbiterError):
    """The service does not stand by the commitment to the seed that it has shown: it may have
    chosen another seed since. Save the evidence: `note` is the signed note of the creation,
    `receipt` the signed receipt, if one was given, and `event` the commitment that was shown; None
    if the note has it."""

    def __init__(
        self,
        reason: str,
        note: str | None,
        receipt: Receipt | None = None,
        event: Event | None = None,
    ) -> None:
        super().__init__(reason)
        self.note = note
        self.receipt = receipt
        self.event = event


class WrongSignature(WrongCommitment):
    """None of the keys that the service publishes has signed the `receipt`, or without one the
    `note`, of the creation or of a ruling: it binds the service to nothing."""


class ProblemError(ArbiterError):
    """The service has answered with a problem, whose most used members it has, too."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem
        self.status, self.code, self.detail = problem.status, problem.code, problem.detail
        self.errors, self.retry_after = problem.errors, problem.retry_after

    def __str__(self) -> str:
        problem = self.problem
        mistakes = (f"{m.pointer or m.name or m.part}: {m.detail}" for m in problem.errors)
        told = (problem.title, problem.detail, *mistakes)
        return f"{problem.status} {problem.code}: {' '.join(text for text in told if text)}"


class Elsewhere(ProblemError):
    """3xx: the service is elsewhere: `detail` says where."""


class BadRequest(ProblemError):
    """400, 405, 413, 426, 431: the request is not understood; `errors` says where."""


class Unauthorized(ProblemError):
    """401: there is no key, or the service does not know it any more."""


class NotAllowed(ProblemError):
    """403: the key does not allow this."""


class NotFound(ProblemError):
    """404: it is not there, or no one may know."""


class Conflict(ProblemError):
    """409: the match is in no position for it. Nothing is on record."""


class HistoryWentBack(Conflict):
    """The records have gone back to a backup: forget what you have of the match, and read it
    again."""


class Stale(ProblemError):
    """412: there are events after the view on which this was to be done. Nothing is on record."""


class Refused(ProblemError):
    """422: understood and not allowed; `code` is the rule's. An action is on record, for the seat
    and the moderators, and `problem.receipt` says so."""


class TooMany(ProblemError):
    """429: too many requests; wait for `retry_after` seconds."""


class Unavailable(ProblemError):
    """5xx: the service cannot answer now."""


WENT_BACK = Problem(409, "history_went_back", "The records have gone back: read the match again.")

_BY_CODE: Mapping[str, type[ProblemError]] = {"history_went_back": HistoryWentBack}

_BY_STATUS: Mapping[int, type[ProblemError]] = {
    401: Unauthorized,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    412: Stale,
    422: Refused,
    429: TooMany,
}


def problem_of(status: int, headers: Mapping[str, str], body: bytes) -> ProblemError:
    """The exception for an answer. What stands between may answer without a problem document."""
    try:
        problem = msgspec.json.decode(body, type=Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        problem = Problem(code=f"http_{status}", title="The answer is no problem document.")
    problem = replace(problem, status=status)
    if status < 400:
        return Elsewhere(replace(problem, detail=headers.get("location", "another address")))
    asked = headers.get("retry-after", "")
    if problem.retry_after is None and asked.isdigit():
        problem = replace(problem, retry_after=float(asked))
    usual = Unavailable if status >= 500 else BadRequest
    return _BY_CODE.get(problem.code, _BY_STATUS.get(status, usual))(problem)
