"""The routes do what they declare: bodies and headers. `test_roles` has their keys, and
`test_idempotency_everywhere` their repeats.

Every operation that the routes describe is sent; the list is read from the application, so that a
new route is tested against its declarations.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import NamedTuple

import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from service.app import api
from tests.contract.requests.changing_requests import Sent, request
from tests.support.http.case_client import opened
from tests.support.http.openapi_document import Operation, operations
from tests.support.http.tournament_client import closed_cup, cup, staged
from tests.support.http.webhook_receiver import noticed
from tests.support.servers.live_server import Answer, Client, Json, Live, LiveMatch, Player

NO_JSON, NO_BODY = b"{", b'{"surprise":1}'


Requests = Callable[[str], Sent]


@pytest.fixture(scope="module")
def requests(live: Live, document: Json) -> Requests:
    """One request for each name of an operation that changes something."""
    named = {operation.name: operation.said["operationId"] for operation in operations(document)}
    return cache(lambda name: request(live, named[name]))


class Reading(NamedTuple):
    """What is read: a match that is over, so that its stream ends, and a tournament with stages."""

    readers: tuple[Client, ...]
    ids: Mapping[str, Mapping[str, str]]
    calendar: str

    def answers(self, operation: Operation, headers: dict[str, str]) -> Iterator[Answer]:
        """The answers to all readers, but for those who may not read it."""
        path = operation.path
        of = "tournament" if "/tournaments/" in path else "match"
        for place in (operation.said["operationId"], of):
            for name, value in self.ids.get(place, {}).items():
                path = path.replace(f"{{{name}}}", value)
        if path == "/v1/calendar.ics":
            path = f"{path}?token={self.calendar}"
        for reader in self.readers:
            answer = reader.get(path, headers)
            if answer.status_code not in (401, 403):
                yield answer


@pytest.fixture(scope="module")
def reading(live: Live, played: LiveMatch) -> Reading:
    spring = cup(live)
    spring.match()
    stage, bracket = (
        str(staged(spring, published=True, format=form)) for form in ("swiss", "elimination")
    )
    ids = {
        "match": {
            "id": played.id, "game": "dollar-prize", "case": opened(played.organiser),
            "webhook": noticed(live)[0],
        },
        "tournament": {
            "id": spring.id, "number": "1", "player": "0", "stage": stage,
            "case": opened(Player(live.organiser, spring.id, "tournaments")),
        },
        "showBracket": {"stage": bracket},
        "streamTournamentEvents": {"id": closed_cup(live).id},
    }  # fmt: skip
    made = live.organiser.post("/v1/calendars", {"match": played.id}).json()
    players = played.moderator.client, played.seats[0].client, spring.player(0)
    return Reading((live.organiser, *players), ids, made["link"].partition("token=")[2])


def code_of(answer: Answer) -> str | None:
    return answer.json()["code"] if answer.status_code >= 400 else None


def test_every_route_of_the_api_is_described(document: Json) -> None:
    app = Litestar(route_handlers=[api()], openapi_config=None, logging_config=None)
    routes = {
        (method.lower(), route.path_format.replace("match_id", "id").replace("tournament_id", "id"))
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method in route.methods - {"OPTIONS"}
    }
    assert routes == {(o.method, o.path) for o in operations(document)}
    assert len(routes) > 25


def test_an_operation_that_declares_a_body_reads_it(document: Json, requests: Requests) -> None:
    for operation in operations(document):
        if operation.method not in ("post", "patch") and "requestBody" not in operation.said:
            continue
        assert operation.method != "get"
        asked = requests(operation.name)
        read = "requestBody" in operation.said
        for content, code in ((NO_JSON, "not_json" if read else "wrong_shape"),
                              (NO_BODY, "wrong_shape")):  # fmt: skip
            answer = asked.by.send(asked.method, asked.path, content)
            assert code_of(answer) == code, operation.name


def test_an_operation_that_declares_a_required_body_requires_it(
    document: Json, requests: Requests
) -> None:
    for operation in operations(document):
        if "requestBody" in operation.said:
            asked = requests(operation.name)
            code = code_of(asked.by.send(asked.method, asked.path))
            required = operation.said["requestBody"]["required"]
            assert (code == "not_json") == required, operation.name


HEADERS: dict[str, tuple[str, Callable[[Answer], bool]]] = {
    "Idempotency-Key": ("a b", lambda answer: code_of(answer) == "bad_idempotency_key"),
    "If-Match": ('"none"', lambda answer: answer.status_code == 412),
    "If-None-Match": ("*", lambda answer: answer.status_code == 304),
    "Prefer": ("return=minimal", lambda answer: "Preference-Applied" in answer.headers),
    "Last-Event-ID": ("x", lambda answer: code_of(answer) == "bad_request"),
}
"""Each header with a value that an operation cannot read without an effect, and what comes of it:
first those without which what is asked for is done."""


Answers = Mapping[str, Mapping[str, list[Answer]]]


@pytest.fixture(scope="module")
def answers(document: Json, live: Live, requests: Requests, reading: Reading) -> Answers:
    """The answers to each operation with each header."""
    found: dict[str, dict[str, list[Answer]]] = {}
    for operation in operations(document):
        with_header = found[operation.name] = {}
        for header, (value, _) in HEADERS.items():
            if operation.method == "get":
                with_header[header] = list(islice(reading.answers(operation, {header: value}), 2))
            else:
                asked = requests(operation.name)
                key = value if header == "Idempotency-Key" else asked.key
                headers = asked.headers | {header: value}
                with_header[header] = [asked._replace(headers=headers, key=key).send(live)]
    return found


def test_an_operation_that_declares_a_header_reads_it(document: Json, answers: Answers) -> None:
    declared = {(one.name, header) for one in operations(document) for header in headers_of(one)}
    assert declared == {
        (name, header)
        for name, with_header in answers.items()
        for header, (_, is_noticed) in HEADERS.items()
        if any(map(is_noticed, with_header[header]))
    }
    assert {header for _, header in declared} == set(HEADERS)


def headers_of(operation: Operation) -> set[str]:
    parameters = operation.said.get("parameters", ())
    return {parameter["name"] for parameter in parameters if parameter["in"] == "header"}


ANSWER_HEADERS = {"ETag", "Location", "Arbiter-Incarnation"}


def test_an_answer_has_the_headers_that_its_operation_declares(
    document: Json, answers: Answers
) -> None:
    for operation in operations(document):
        sent = [one for header in HEADERS for one in answers[operation.name][header]]
        answer = next((one for one in sent if one.is_success), sent[0])
        assert answer.is_success, (operation.name, answer.text)
        described = operation.said["responses"][str(answer.status_code)].get("headers", {})
        has = {header for header in ANSWER_HEADERS if header in answer.headers}
        assert has == ANSWER_HEADERS & described.keys(), operation.name
