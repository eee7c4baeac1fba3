"""What a request is answered that ends with an exception."""

from typing import Any

from litestar.exceptions import (
    ClientException,
    HTTPException,
    MethodNotAllowedException,
    NotFoundException,
)

from domain.game import Refused
from domain.match.commands import Conflict
from service.application.evidence.evidence import BuildsFull
from service.application.evidence.reads import HasLooked
from service.application.idempotency import RequestInFlight
from service.application.keys.invitations import UnknownInvitation
from service.application.keys.match_keys import UnknownKey
from service.application.matches.command_queue import PreconditionFailed
from service.application.matches.decision import UndoneByRuling
from service.application.matches.match_sessions import UnknownPosition
from service.application.matches.seat_limits import LimitReached
from service.event_store.errors import StoreUnavailable, UnknownMatch, UnknownTournament
from service.event_store.integrity.digests import RecordAltered, RowAltered
from service.http.access.key_needed import key_mistakes
from service.http.errors.codes import OPERATOR_NEEDED
from service.http.errors.problems import AnyRequest, Failed, problem
from service.http.errors.route_mistakes import (
    allowed_methods,
    header_problem,
    method_mistakes,
    parameter_mistakes,
    path_mistakes,
    position_mistakes,
)
from service.http.requests.responses import EncodedResponse
from service.observability import logs
from service.observability.store_faults import Fault
from service.signing.notary import CheckpointContradicted

BUILDS_RETRY_AFTER = "5"
"""`Retry-After` of a bundle when too many are being built: each takes up to seconds."""

OPERATOR_RETRY_AFTER = "60"
"""`Retry-After` where people have to look at something, or act, first."""

STORE_FAULTS: dict[Fault, str] = {
    "corrupt": "The stored bytes are damaged.",
    "full": "There is no room left to record anything.",
    "read_only": "Nothing can be recorded: the store may only be read.",
    "io_error": "The disk of the store has failed.",
}
"""Faults that the operator has to mend; all others pass by themselves."""


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
