"""Errors on the wire: RFC 9457 documents with a stable code."""

from typing import Annotated, Any

import msgspec
from litestar import Request
from litestar.exceptions import (
    ClientException,
    HTTPException,
    MethodNotAllowedException,
    NotFoundException,
)
from msgspec import Meta, Struct

from domain.game import Refused
from domain.match.commands import CONFLICTS, DRAW_CODES, REUSED_KEY, REUSED_KEY_TEXT, Conflict
from domain.rulings.commands import FORBIDDEN, UNAVAILABLE, UNFIT, UNKNOWN
from domain.rulings.tournament_decide import UNSETTLED
from domain.tournament.decide import CODES as TOURNAMENT_CODES
from projections.fields import Timestamp
from service.application.evidence.evidence import BuildsFull
from service.application.evidence.reads import HasLooked
from service.application.idempotency import RequestInFlight
from service.application.keys.invitations import UnknownInvitation
from service.application.keys.match_keys import UnknownKey
from service.application.matches.command_queue import PreconditionFailed
from service.application.matches.decision import UndoneByRuling
from service.application.matches.match_sessions import UnknownPosition
from service.application.matches.seat_limits import CODES as LIMIT_CODES
from service.application.matches.seat_limits import LimitReached
from service.event_store.errors import StoreUnavailable, UnknownMatch, UnknownTournament
from service.event_store.integrity.digests import RecordAltered, RowAltered
from service.http.access.key_needed import key_mistakes
from service.http.errors.mistakes import USUAL_MISTAKES, Mistake
from service.http.errors.route_mistakes import (
    allowed_methods,
    header_problem,
    method_mistakes,
    parameter_mistakes,
    path_mistakes,
    position_mistakes,
)
from service.http.requests.responses import EncodedResponse, json_bytes
from service.observability import logs
from service.observability.store_faults import Fault
from service.signing.notary import CheckpointContradicted

MEDIA_TYPE = "application/problem+json"

RETRY_AFTER = "1"

BUILDS_RETRY_AFTER = "5"
"""`Retry-After` of a bundle when too many are being built: each takes up to seconds."""

OPERATOR_RETRY_AFTER = "60"
"""`Retry-After` where people have to look at something, or act, first."""

OPERATOR_NEEDED = "operator_needed"

STORE_FAULTS: dict[Fault, str] = {
    "corrupt": "The stored bytes are damaged.",
    "full": "There is no room left to record anything.",
    "read_only": "Nothing can be recorded: the store may only be read.",
    "io_error": "The disk of the store has failed.",
}
"""What the operator has to mend; against other faults no one need do anything."""

_BY_STATUS: dict[int, dict[str, str]] = {
    202: {"draft_pending": "The draft takes longer than a request may wait: send the same again."},
    400: {
        "not_json": "The body is not JSON.",
        "wrong_shape": "The body has the wrong shape: an unknown type, field or value.",
        "bad_request": "The request cannot be understood.",
        "bad_audience": "An audience is `public`, `seat:N` or `moderator`.",
        "bad_idempotency_key": "An idempotency key is 1 to 255 visible ASCII characters.",
        "idempotency_key_needed": (
            "This needs an `Idempotency-Key` of 16 to 255 visible ASCII characters, drawn at "
            "random."
        ),
        "bad_if_match": "`If-Match` is `*`, or an `ETag` as it was received, with its quotes.",
    },
    401: {
        "key_missing": "This needs a key: send it as `Authorization: Bearer <key>`.",
        "key_unknown": "The key is unknown or has been revoked.",
        "ticket_unknown": "The ticket is unknown or expired: request another.",
    },
    403: {
        "not_allowed": "The key does not allow this.",
        **FORBIDDEN,
        "no_open_tables": "The operator of this service allows no open tables.",
    },
    404: {
        "not_found": "There is nothing here.",
        "no_such_game": "There is no such game.",
        "no_such_match": "There is no such match.",
        "no_such_tournament": "There is no such tournament.",
        "no_such_round": "The tournament has no such round yet.",
        "no_bracket": "The stage has no bracket: it is not an elimination, or has not begun.",
        "no_report": (
            "A FIDE report covers only stages with two seats, and points that it can express: for "
            "a win, a share, a loss and an absence."
        ),
        "no_such_key": "The match has no such key.",
        "no_such_invitation": "The match has no such invitation.",
        "no_such_seat": "The match has no such seat.",
        "no_such_webhook": "There is no such webhook of yours.",
        "no_such_calendar": "There is no such calendar of yours, or it was removed.",
        **UNKNOWN,
    },
    405: {"method_not_allowed": "This path does not support that method."},
    409: {
        "history_went_back": (
            "This audience has fewer events or postings than that. If you have seen more, the "
            "record was restored from a backup: read it again from the beginning."
        ),
        "key_in_settings": (
            "This key stands in the service's settings: change `ARBITER_ORGANISER_KEY` there."
        ),
        "invitation_accepted": (
            "The invitation has been accepted. The person who did so is shown the key again for "
            "ten minutes, with the same idempotency key; anyone else needs another invitation."
        ),
        "invitation_expired": "The invitation has expired: ask the organiser for another.",
        "invitation_revoked": "The invitation was taken back: ask the organiser for another.",
        "tournament_not_closed": "Only organisers may have this before the tournament is closed.",
        "too_many_calendars": "This key has as many calendars as it may have: remove one.",
        "too_many_webhooks": "This key has as many webhooks as it may have: remove one.",
        "request_in_flight": "The same request is still being answered: try again later.",
        "has_looked": (
            "Someone who is to be seated has looked at what is hidden from another of these "
            "players, in the running `match`. An organiser may send `has_looked_reason` to seat "
            "them anyway."
        ),
        "record_altered": (
            "The record of this match is damaged or was changed: nothing of it is shown, and "
            "nothing is added, until the operator has looked at it."
        ),
        "of_tournament": "The name is that of a player, which the tournament withholds.",
        "seat_name_taken": "Another seat has the name that would be shown instead.",
        "undone_by_ruling": (
            "The action that you sent under this idempotency key was undone by a ruling. Send it "
            "again under a new key if it is still meant."
        ),
        **CONFLICTS,
        **UNAVAILABLE,
        **UNSETTLED,
    },
    412: {"stale": "Your `If-Match` is not the current view."},
    413: {"too_large": "The body is larger than 64 KiB."},
    422: {
        "match_or_tournament": (
            "A webhook or a calendar is for a match or for a tournament, not for both; a calendar"
            " is for one of them."
        ),
        "address_not_allowed": ("Nothing is sent to this address: use https and a public host."),
        "wait_not_public": "Only the public's events can be waited for: send `as=public`.",
        "unknown_game": "There is no such game.",
        "seats_not_allowed": "These seats cannot play this game.",
        "options_not_allowed": "The game does not allow these options.",
        "record_not_allowed": "The game cannot be played with this kind of record.",
        "unknown_tournament": "There is no such tournament.",
        REUSED_KEY: REUSED_KEY_TEXT,
        **DRAW_CODES,
        **UNFIT,
    },
    428: {
        "preview_needed": (
            "This is done only as it was previewed: send the `ETag` of its preview as `If-Match`."
        ),
    },
    429: {
        "too_many_requests": "Too many requests or open streams: wait a while.",
        "too_many_tables": (
            "Too many open tables, of this address or of all: play one to its end, or wait a while."
        ),
        **LIMIT_CODES,
    },
    431: {
        "head_too_large": (
            "The head of the request is too large:"
            " at most 64 KiB, 100 headers, and an address of 8 KiB with 100 parameters."
        )
    },
    500: {"internal_error": "The service failed."},
    503: {
        "try_again": "The service cannot answer now: try again with the same idempotency key.",
        OPERATOR_NEEDED: (
            "The service cannot do this until its operator has acted. It is not your fault, and "
            "trying again soon does not help; once it works again, the same idempotency key is "
            "safe."
        ),
    },
}

_OF_TOURNAMENTS = {
    403: "moderator_plays not_candidate",
    404: "no_such_table no_such_stage no_such_registration no_such_organiser "
    "no_such_tournament_match",
    409: "round_open round_closed round_begun round_withdrawn no_end not_absent "
    "not_started_by_players choice_over lots_not_drawn lots_drawn",
    410: "registration_closed",
}
"""The codes of tournaments that are not 422."""

TITLES = {code: (422, title) for code, title in TOURNAMENT_CODES.items()}
TITLES |= {
    code: (status, title) for status, titles in _BY_STATUS.items() for code, title in titles.items()
}
TITLES |= {
    code: (status, TOURNAMENT_CODES[code])
    for status, codes in _OF_TOURNAMENTS.items()
    for code in codes.split()
}
"""The status and meaning of every code that is not a game's own."""


class Receipt(Struct, frozen=True):
    """The receipt of a recorded command.

    `valid` says whether it counts, `code` why not. `at` is when it was received, `seq` its number
    in the sender's own count (or the sender's count by then, if its event is not for the sender).
    A signed `note` says so to anyone, and holds the service to all that the sender had been told
    by then. A seat that may prove what it sent gets the `salt` that opens its commitment."""

    valid: bool
    code: Annotated[str | None, Meta(description="Why it does not count; null if it does")]
    seat: int | None
    seq: int
    at: Timestamp
    idempotency_key: Annotated[
        str | None, Meta(description="The `Idempotency-Key` of the request; null without one")
    ]
    note: str | None = None
    salt: bytes | None = None


class Problem(Struct, frozen=True, omit_defaults=True):
    """What went wrong (RFC 9457). `code` is stable and for programs, `detail` for people.

    `errors` says which parts of the request are wrong and what would be right, `retry_after` for
    how many seconds to wait, `match_status` why the match is in no position for it. A refused
    action's problem carries its `receipt`, `has_looked` the id of the `match`, `undone_by_ruling`
    that of the `ruling`.
    """

    type: Annotated[str, Meta(description="A URN with the code")]
    title: Annotated[str, Meta(description="What the code means")]
    status: int
    code: str
    detail: str | None = None
    receipt: Receipt | None = None
    match: str | None = None
    ruling: str | None = None
    errors: tuple[Mistake, ...] = ()
    retry_after: int | None = None
    match_status: str | None = None


class Failed(Exception):
    """Ends a request with this problem, and with these headers in addition to its own. `errors` are
    the mistakes in the request."""

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        headers: dict[str, str] | None = None,
        *,
        errors: tuple[Mistake, ...] = (),
    ) -> None:
        super().__init__(code)
        self.code, self.detail, self.headers = code, detail, headers
        self.errors = errors


def problem(
    code: str,
    detail: str | None = None,
    *,
    status: int | None = None,
    title: str | None = None,
    headers: dict[str, str] | None = None,
    errors: tuple[Mistake, ...] = (),
    **members: Any,
) -> EncodedResponse:
    """The answer with the problem document of a code, with more `members`; for a game's own codes
    it is 422 with the game's `title`."""
    known_status, known_title = TITLES.get(code, (422, code))
    status, own_headers = status or known_status, dict(headers or {})
    if status == 401:
        own_headers["WWW-Authenticate"] = "Bearer"
    if status == 503:
        own_headers.setdefault("Retry-After", RETRY_AFTER)
    wait = own_headers.get("Retry-After")
    document = Problem(
        f"urn:arbiter:{code}", title or known_title, status, code, detail,
        errors=errors or USUAL_MISTAKES.get(code, ()),
        retry_after=None if wait is None else int(wait), **members,
    )  # fmt: skip
    return json_bytes(msgspec.json.encode(document), status, own_headers, MEDIA_TYPE)


AnyRequest = Request[Any, Any, Any]


def _failed(request: AnyRequest, error: Failed) -> EncodedResponse:
    errors = error.errors or key_mistakes(request.scope, error.code)
    return problem(error.code, error.detail, headers=error.headers, errors=errors)


def _store_unavailable(_: AnyRequest, error: StoreUnavailable) -> EncodedResponse:
    if (detail := STORE_FAULTS.get(error.store_fault)) is None:
        return problem("try_again")
    return problem(OPERATOR_NEEDED, detail, headers={"Retry-After": OPERATOR_RETRY_AFTER})


def _has_looked(_: AnyRequest, error: HasLooked) -> EncodedResponse:
    what = "another match" if error.match is None else error.match
    return problem("has_looked", f"{error.name} has looked at {what}", match=error.match)


def _altered(request: AnyRequest, _error: RecordAltered) -> EncodedResponse:
    """A reader is told to come back later; an action is not possible."""
    if request.method in ("GET", "HEAD"):
        return problem("record_altered", status=503, headers={"Retry-After": OPERATOR_RETRY_AFTER})
    return problem("record_altered")


def _row_altered(_: AnyRequest, error: RowAltered) -> EncodedResponse:
    logs.failure("store_damaged", error)
    return problem(
        OPERATOR_NEEDED, STORE_FAULTS["corrupt"], headers={"Retry-After": OPERATOR_RETRY_AFTER}
    )


def _http(request: AnyRequest, error: HTTPException) -> EncodedResponse:
    if isinstance(error, NotFoundException):
        return problem("not_found", errors=path_mistakes(request.scope["path"], request.app))
    if isinstance(error, MethodNotAllowedException):
        headers = allowed_methods(error)
        return problem(
            "method_not_allowed", headers=headers, errors=method_mistakes(headers["Allow"])
        )
    if error.status_code == 413:
        return problem("too_large")
    if isinstance(error, ClientException) and error.status_code == 400:
        code = header_problem(request, error)
        if code is not None:
            return problem(code)
        mistakes = parameter_mistakes(request, error)
        reason = f"{mistakes[0].name}: {mistakes[0].detail}" if mistakes else None
        return problem("bad_request", reason, errors=mistakes)
    return problem("bad_request", status=error.status_code)


def _unknown_position(request: AnyRequest, error: UnknownPosition) -> EncodedResponse:
    return problem("history_went_back", errors=position_mistakes(request, *error.args))


def _unexpected(request: AnyRequest, error: Exception) -> EncodedResponse:
    logs.failure("request_failed", error, route=request.scope.get("path_template"))
    return problem("internal_error")


HANDLERS: dict[type[Exception] | int, Any] = {
    Failed: _failed,
    Refused: lambda _, error: problem(error.code, error.text),
    UndoneByRuling: lambda _, error: problem(error.code, ruling=error.ruling),
    Conflict: lambda _, error: problem(error.code, match_status=error.status),
    HasLooked: _has_looked,
    LimitReached: lambda _, error: problem(error.code, headers={"Retry-After": str(error.wait)}),
    PreconditionFailed: lambda *_: problem("stale"),
    RequestInFlight: lambda *_: problem("request_in_flight"),
    CheckpointContradicted: lambda *_: problem("record_altered"),
    RecordAltered: _altered,
    RowAltered: _row_altered,
    UnknownMatch: lambda *_: problem("no_such_match"),
    UnknownKey: lambda *_: problem("no_such_key"),
    UnknownInvitation: lambda *_: problem("no_such_invitation"),
    UnknownTournament: lambda *_: problem("no_such_tournament"),
    UnknownPosition: _unknown_position,
    StoreUnavailable: _store_unavailable,
    BuildsFull: lambda *_: problem("try_again", headers={"Retry-After": BUILDS_RETRY_AFTER}),
    HTTPException: _http,
    Exception: _unexpected,
}
