"""Requests generated from the description: for every sender the answer is as described."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, CheckContext, GenerationMode, Response
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    missing_required_header,
    negative_data_rejection,
    positive_data_acceptance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from tests.support.effort import times
from tests.support.http.openapi_document import operations
from tests.support.http.routes import description, operation_ids
from tests.support.http.tournament_client import closed_cup
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Json, Live, LiveMatch

EXAMPLES = times("requests of an operation")
"""Number of requests for an operation and a kind of data."""

OPERATIONS = operation_ids()


SENDERS = ["anyone", "stranger", "organiser", "moderator", "seat"]

FIXED = {
    "health",
    "listCalendars",
    "listGames",
    "listSigningKeys",
    "listWebhooks",
    "readiness",
    "showGame",
}
"""Operations for which every request is described: they take nothing, or any text."""

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    missing_required_header,
    unsupported_method,
    allow_header_conformance,
]

ACCEPTED = ["2xx", "3xx", "401", "403", "404", "409", "410", "422", "429", "5xx"]
"""What may be answered to a valid request: the tool's own default, 410 for what is closed, and 422
for what is understood and not allowed."""

ACROSS_FIELDS = {"not_allowed_here", "sent_twice"}
"""Codes of mistakes that no schema tells: of fields that exclude or need one another, and texts and
instants with rules of their own."""

PRECONDITIONS = ["412", "428"]
"""And what a request with an `If-Match` or without the one that it needs may be answered: no
description can say which tag is the latest."""

STREAMS = {"streamEvents", "streamTournamentEvents"}
"""Operations whose answer ends only when the match or the tournament is over."""

OWN_CHECK = {"showGame", *STREAMS}
"""Operations whose bodies `test_openapi_responses` checks against their schemas: here tuples in
JSON Schema 2020-12 are misread, and each server-sent event is taken for the whole body."""

BEYOND_SCHEMAS = {"act", "acceptInvitation", "enterPlayer"}
"""A described action may be one of another game than the match's, an invitation may need an
`Idempotency-Key` or not, and a list in CSV is any text: what is wrong with these is 400."""

CUP: dict[str, str] = {}
"""The ids of the requested tournament and of its match."""

CLOSED_CUP: dict[str, str] = {}
"""The id of a tournament that is over."""

UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

quick = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def api(live: Live) -> OpenApiSchema:
    described = schemathesis.openapi.from_url(f"{live.url}/schema/openapi.json")
    # Keys are chosen here, sender by sender.
    described.config.generation.update(with_security_parameters=False)
    return described


@pytest.fixture(scope="module", autouse=True)
def cup(live: Live) -> Json:
    """A tournament with a match."""
    made: Json = live.organiser.post(
        "/v1/tournaments",
        {"name": "Cup", "players": ["Ann", "Ben"], "moderators": ["Mo"], "garnets": {"Ann": 9}},
    ).json()
    CUP.update(id=made["id"], match=live.create("dollar-prize", tournament=made["id"]).id)
    CLOSED_CUP.update(id=closed_cup(live).id)
    return made


@pytest.fixture(scope="module")
def running(live: Live) -> LiveMatch:
    """A match by hand, with a clock and every option at work, in which seat 0 is to play."""
    options = {"turn_seconds": 86_400, "hand_colours_public": True, "deal": "random"}
    match = live.started("twelve-chips", chance="manual", clock="rules", options=options)
    match.moderator.draw("round1/deal", [list(range(12, 0, -1))])
    return match


@pytest.mark.parametrize("operation_id", OPERATIONS)
def test_described_requests_get_described_answers(
    api: OpenApiSchema, running: LiveMatch, played: LiveMatch, operation_id: str
) -> None:
    match = played if operation_id == "streamEvents" else running
    more = [] if operation_id in BEYOND_SCHEMAS else [accepted]
    send_all(api, operation_id, GenerationMode.POSITIVE, match, SENDERS, *more)


def accepted(context: CheckContext, response: Response, case: Case[Any]) -> bool | None:
    """A valid request is not refused, unless its mistakes are such as no schema tells."""
    if response.status_code == 400:
        mistakes = response.json().get("errors", ())
        if mistakes and {mistake["code"] for mistake in mistakes} <= ACROSS_FIELDS:
            return None
    return positive_data_acceptance(context, response, case)


@pytest.mark.parametrize("operation_id", sorted(set(OPERATIONS) - FIXED))
def test_undescribed_requests_are_problems(
    api: OpenApiSchema, running: LiveMatch, played: LiveMatch, operation_id: str
) -> None:
    match = played if operation_id == "streamEvents" else running
    sender = user_of(operation_id)
    send_all(api, operation_id, GenerationMode.NEGATIVE, match, [sender], negative_data_rejection)


def user_of(operation_id: str) -> str:
    """Who may send a request: the refusal of another sender would not say what is wrong."""
    (said,) = (
        one.said for one in operations(description()) if one.said["operationId"] == operation_id
    )
    roles = {role for requirement in said["security"] for role in requirement.get("key", ())}
    return next((role for role in ("seat", "moderator", "organiser") if role in roles), "seat")


def headers_of(match: LiveMatch, sender: str, operation_id: str) -> dict[str, str]:
    """Those with a sender's key. A renewal ends its key, and others need those of the match."""
    if sender == "anyone":
        return {}
    key = spare_key(match) if operation_id == "renewKey" else key_of(match, sender)
    return {"Authorization": f"Bearer {key}"}


def key_of(match: LiveMatch, sender: str) -> str:
    if sender == "moderator":
        return match.moderator_key
    return {"organiser": ORGANISER_KEY, "seat": match.keys[0], "stranger": "arb_s0_x"}[sender]


def spare_key(match: LiveMatch) -> str:
    """A key to a match that no one else uses."""
    body = {"role": "moderator", "name": "Eve"}
    made = match.organiser.client.post(f"{match.anyone.path}/keys", body)
    return str(made.json()["key"])


def send_all(
    api: OpenApiSchema,
    operation_id: str,
    mode: GenerationMode,
    match: LiveMatch,
    senders: Sequence[str],
    *more: Any,
) -> None:
    """Sends generated requests of an operation, each from every sender, as making one takes longer
    than answering it; checks each answer against the description."""
    operation = api.find_operation_by_id(operation_id)
    conditional = "If-Match" in operation.headers
    accepted = ACCEPTED + (PRECONDITIONS if conditional else [])
    operation.schema.config.checks.positive_data_acceptance.expected_statuses = accepted
    headers = [headers_of(match, sender, operation_id) for sender in senders]

    @quick
    @given(
        case=operation.as_strategy(generation_mode=mode), known=st.sampled_from([True, True, False])
    )
    def send(case: Case[Any], known: bool) -> None:
        point_at(case, match, known or operation_id in STREAMS)
        case.headers.pop("Authorization", None)
        excluded = [response_schema_conformance] if operation_id in OWN_CHECK else []
        for sent in headers:
            response = case.call(headers=sent, session=session)
            case.validate_response(response, checks=[*CHECKS, *more], excluded_checks=excluded)

    # One connection for all requests, which sends nothing but what was generated.
    with requests.Session() as session:
        session.trust_env = False
        session.headers.clear()
        send()


def point_at(case: Case[Any], match: LiveMatch, known: bool) -> None:
    """Gives a request with a well-formed path the ids of existing things."""
    path, about = case.path_parameters, {"id": match.id}
    if "/tournaments/" in case.operation.path:
        about = CLOSED_CUP if case.operation.path.endswith("/stream") else CUP
    for name, there in about.items():
        if known and UUID_TEXT.fullmatch(str(path.get(name, ""))):
            path[name] = there
    if known and "game" in path:
        path["game"] = "twelve-chips"
