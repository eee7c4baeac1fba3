"""The routes do what they declare: bodies and headers. `test_roles` has their keys, and
`test_idempotency_everywhere` their repeats.

Every operation that the routes describe is sent; the list is read from the application, so that a
new route is tested against its declarations without being named here.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from typing import Any

import msgspec
import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from service.app import api
from tests.support.http.case_client import close, do, opened
from tests.support.http.correction_client import correct, corrected
from tests.support.http.invitations import MINE, invited, token_of
from tests.support.http.openapi_document import Operation, operations
from tests.support.http.ruling_client import ruled
from tests.support.http.tournament_client import (
    LiveCup,
    choosing,
    closable,
    closed_cup,
    cup,
    staged,
    waiting_match,
)
from tests.support.http.webhook_receiver import noticed
from tests.support.servers.live_server import Answer, Client, Json, Live, LiveMatch
from tests.support.waiting import wait_until

NO_JSON, NO_BODY = b"{", b'{"surprise":1}'


@dataclass(frozen=True)
class Table:
    """A match and a tournament with a match, to which operations are sent."""

    live: Live
    match: LiveMatch
    tournament: LiveCup
    assigned: LiveMatch
    ruling: str = "none"
    correction: str = "none"

    @property
    def holders(self) -> tuple[Client, ...]:
        """One client for each kind of key."""
        seat, moderator = self.match.seats[0].client, self.match.moderator.client
        mo, judge, ann = self.tournament.moderator(), self.live.judge, self.tournament.player(0)
        return self.live.organiser, moderator, seat, self.assigned.moderator.client, mo, judge, ann

    def path(self, operation: Operation) -> str:
        of_tournament = "/tournaments/" in operation.path
        tournament = self.tournament
        if operation.said["operationId"] == "closeTournament":
            tournament = closable(self.live)
        if operation.said["operationId"] == "streamTournamentEvents":
            tournament = closed(self.live)
        ids = {
            "{id}": tournament.id if of_tournament else self.match.id,
            "{match}": self.assigned.id,
            "{game}": "dollar-prize",
            "{number}": "1",
            "{stage}": str(stage_for(tournament, operation)),
            "{player}": str(player_for(tournament, operation)),
            "{moderator}": str(member_for(tournament, operation, "moderator")),
            "{organiser}": str(member_for(tournament, operation, "organiser")),
            "{key}": self.spare_key()["id"] if "{key}" in operation.path else "",
            "{calendar}": self.made_calendar()["id"] if "{calendar}" in operation.path else "",
            "{invitation}": self.open_invitation() if "{invitation}" in operation.path else "",
            "{ruling}": self.correction if of_tournament else self.ruling,
            "{case}": case_for(self.match, operation) if "{case}" in operation.path else "",
        }
        if "{webhook}" in operation.path:
            ids["{webhook}"], ids["{notice}"] = noticed(self.live)
        path = operation.path
        if operation.said["operationId"] == "readCalendar":
            path = f"{path}?token={self.made_calendar()['link'].partition('token=')[2]}"
        if operation.said["operationId"] == "sayReady":
            ids["{id}"] = waiting(self.live)[1]
        for name, value in ids.items():
            path = path.replace(name, value)
        return path

    def sender(self, client: Client, operation: Operation) -> Client:
        """This client, or the one to whom alone the operation is open."""
        ready = operation.said["operationId"] == "sayReady"
        return waiting(self.live)[0].player(0) if ready else client

    def spare_key(self) -> Json:
        """A key to the match that no one uses."""
        body = {"role": "seat:0", "name": "Ann"}
        made: Json = self.live.organiser.post(f"{self.match.anyone.path}/keys", body).json()
        return made

    def made_calendar(self) -> Json:
        """A new calendar of the match."""
        made: Json = self.live.organiser.post("/v1/calendars", {"match": self.match.id}).json()
        return made

    def open_invitation(self) -> str:
        """The id of an invitation that no one has accepted."""
        return str(invited(self.match)["id"])

    def send(
        self,
        client: Client,
        operation: Operation,
        content: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        client = self.sender(client, operation)
        return client.send(operation.method.upper(), self.path(operation), content, headers)

    def post(
        self, client: Client, operation: Operation, headers: dict[str, str] | None = None
    ) -> Answer:
        """Sends the first example of the operation's body, or none."""
        sent = example(operation)
        if operation.method != "post":
            content = msgspec.json.encode(sent) if "requestBody" in operation.said else None
            return self.send(client, operation, content, headers)
        client = self.sender(client, operation)
        if operation.said["operationId"] == "renewKey":
            client = spare_client(self, (headers or {}).get("Idempotency-Key"))
        if operation.said["operationId"] == "acceptInvitation":
            headers = {"Idempotency-Key": MINE, **(headers or {})}
            sent = {"token": token_for(self.match, headers["Idempotency-Key"])}
        if operation.said["operationId"] == "acceptPlayerInvitation":
            headers = {"Idempotency-Key": MINE, **(headers or {})}
            sent = {"token": player_token(self.tournament, headers["Idempotency-Key"])}
        if operation.said["operationId"] == "registerPlayer":
            headers = {"Idempotency-Key": MINE, **(headers or {})}
            sent = entry(self.tournament, headers["Idempotency-Key"])
        if operation.path == "/v1/tournaments/{id}/rulings":
            sent = {**sent, "match": self.assigned.id}
        answer = client.post(self.path(operation), sent, headers)
        if code_of(answer) != "preview_needed":
            return answer
        preview = client.post(self.path(operation), {**sent, "preview": True}, headers)
        seen = {"If-Match": preview.headers.get("etag", '"none"')}
        return client.post(self.path(operation), sent, {**(headers or {}), **seen})


def stage_for(spring: LiveCup, operation: Operation) -> int:
    """A stage of its own for an operation on one, as far as it needs it; 0 for all others."""
    name = operation.said["operationId"]
    if "{stage}" not in operation.path and name != "showStandings":
        return 0
    return _stage_for(spring, name)


@cache
def _stage_for(spring: LiveCup, name: str) -> int:
    if name == "chooseOpponent":
        return choosing(spring)
    if name == "showBracket":
        return staged(spring, published=True, format="elimination")
    if name == "withdrawRound":
        waiting_match(spring)
        return len(spring.live.anyone.get(f"{spring.path}/stages").json()["stages"])
    return staged(spring, published=name in ("closeStage", "showRoundOfStage"))


closed = cache(closed_cup)


@cache
def waiting(live: Live) -> tuple[LiveCup, str]:
    """A tournament of two, and a match that they start."""
    spring = cup(live, players=["Ann", "Ben"], moderators=[])
    return spring, waiting_match(spring)


@cache
def _member_for(spring: LiveCup, name: str, office: str) -> int:
    made = spring.post(f"{office}s", {"name": f"For {name}"})
    assert made.status_code == 201, made.text
    return int(made.json()[office])


def member_for(spring: LiveCup, operation: Operation, office: str) -> int:
    """Someone on the staff of their own for an operation on one; 0 for all others."""
    named = f"{{{office}}}" in operation.path
    return _member_for(spring, operation.said["operationId"], office) if named else 0


def player_for(spring: LiveCup, operation: Operation) -> int:
    """A player of their own for an operation on one, asked to check in, with a stage to come; one
    who is to return has left. 0 for all other operations."""
    name = operation.said["operationId"]
    return _player_for(spring, name) if "{player}" in operation.path else 0


@cache
def _player_for(spring: LiveCup, name: str) -> int:
    entered = spring.post("players", {"name": f"For {name}"})
    assert entered.status_code == 201, entered.text
    player = int(entered.json()["player"])
    staged(spring, published=False)
    assert spring.post("check-in", {"closes": "2155-01-01T00:00:00Z"}).status_code == 201
    if name == "returnPlayer":
        left = spring.post(f"players/{player}/withdrawal", {"reason": "Ill."})
        assert left.status_code == 201, left.text
    return player


def case_for(match: LiveMatch, operation: Operation) -> str:
    """A case of its own for an operation: open, unless it is to be appealed."""
    return _case_for(match, operation.said["operationId"])


@cache
def _case_for(match: LiveMatch, operation_id: str) -> str:
    case = opened(match.organiser)
    assert do(match.organiser, case, "parties", {"seat": 0}).status_code == 204
    if operation_id == "appealCase":
        assert close(match.organiser, case).status_code == 204
    return case


@cache
def spare_client(table: Table, _key: str | None) -> Client:
    """Someone with a key of their own for one idempotency key."""
    return table.live.bearing(table.spare_key()["key"])


@cache
def token_for(match: LiveMatch, _key: str) -> str:
    """The token of an invitation for one idempotency key."""
    return token_of(invited(match))


@cache
def player_token(spring: LiveCup, key: str) -> str:
    """The same for a player of their own."""
    player = _player_for(spring, f"invitation {key}")
    return token_of(spring.post(f"players/{player}/invitation", {}).json())


@cache
def entry(spring: LiveCup, key: str) -> Json:
    """A name of its own, for one idempotency key, and the token of a registration."""
    link = spring.post("registration", {}).json()["link"]
    return {"name": f"By {key}", "token": link.partition("#register-")[2]}


def example(operation: Operation) -> Any:
    for media in operation.said.get("requestBody", {}).get("content", {}).values():
        return next(iter(media["examples"].values()))["value"]
    return None


def code_of(answer: Answer) -> str | None:
    return answer.json()["code"] if answer.status_code >= 400 else None


@pytest.fixture(scope="module")
def over(live: Live, played: LiveMatch) -> Table:
    """A finished match, so that its stream ends, and a tournament with another, whose correction is
    pending."""
    return corrected_table(live, played)


@pytest.fixture
def running(over: Table, coins: LiveMatch) -> Table:
    return replace(over, match=coins)


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


def test_an_operation_that_declares_a_body_reads_it(document: Json, running: Table) -> None:
    for operation in operations(document):
        if operation.method not in ("post", "patch") and "requestBody" not in operation.said:
            continue
        assert operation.method != "get"
        for content, declared, undeclared in (
            (NO_JSON, "not_json", "wrong_shape"),
            (NO_BODY, "wrong_shape", "wrong_shape"),
        ):
            codes = {
                code_of(answer)
                for client in running.holders
                if (answer := running.send(client, operation, content)).status_code != 403
            }
            expected = declared if "requestBody" in operation.said else undeclared
            assert codes == {expected}, operation.name


def test_an_operation_that_declares_a_required_body_requires_it(
    document: Json, running: Table
) -> None:
    for operation in operations(document):
        if "requestBody" not in operation.said:
            continue
        answers = [running.send(client, operation) for client in running.holders]
        refused = [code_of(answer) for answer in answers if answer.status_code != 403]
        required = operation.said["requestBody"]["required"]
        assert all((code == "not_json") == required for code in refused), operation.name


HEADERS: dict[str, tuple[str, Callable[[Answer], bool]]] = {
    "If-Match": ('"none"', lambda answer: answer.status_code == 412),
    "If-None-Match": ("*", lambda answer: answer.status_code == 304),
    "Idempotency-Key": ("a b", lambda answer: code_of(answer) == "bad_idempotency_key"),
    "Last-Event-ID": ("x", lambda answer: code_of(answer) == "bad_request"),
}
"""Each header with a value that an operation cannot read without an effect."""


@pytest.mark.parametrize("header", HEADERS)
def test_an_operation_that_declares_a_header_reads_it(
    document: Json, over: Table, running: Table, header: str
) -> None:
    value, noticed = HEADERS[header]
    answered, declared = {}, {}
    for operation in operations(document):
        tried = running if operation.method in ("post", "patch") else over
        answers = (tried.post(client, operation, {header: value}) for client in tried.holders)
        let_in = (answer for answer in answers if answer.status_code not in (401, 403))
        answered[operation.name] = any(map(noticed, islice(let_in, 2)))
        declared[operation.name] = header in headers_of(operation)
    assert answered == declared
    assert {True, False} == set(declared.values())


def test_every_declared_header_is_tried(document: Json) -> None:
    assert {header for o in operations(document) for header in headers_of(o)} == set(HEADERS)


def headers_of(operation: Operation) -> set[str]:
    parameters = operation.said.get("parameters", ())
    return {parameter["name"] for parameter in parameters if parameter["in"] == "header"}


ANSWER_HEADERS = {"ETag", "Location", "Arbiter-Incarnation"}


def test_an_answer_has_the_headers_that_its_operation_declares(
    document: Json, over: Table, live: Live
) -> None:
    shared = list(tables(over, live))
    for operation in operations(document):
        answer = success(operation, chain(shared, tables(over, live)))
        described = operation.said["responses"][str(answer.status_code)].get("headers", {})
        has = {header for header in ANSWER_HEADERS if header in answer.headers}
        assert has == ANSWER_HEADERS & described.keys(), operation.name


def success(operation: Operation, some: Iterable[Table]) -> Answer:
    """The first answer that is no refusal, from matches in several states."""
    for tried in some:
        for client in tried.holders:
            answer = tried.post(client, operation)
            if answer.status_code < 300:
                return answer
    raise AssertionError(f"{operation.name} succeeds nowhere")


def tables(over: Table, live: Live) -> Iterator[Table]:
    timed: Json = {"options": {"turn_seconds": 1_000}}
    flipping = live.started("dollar-prize", chance="manual")
    flipping.seats[0].act({"type": "choose_side", "side": "heads"})
    asked = live.started("dollar-prize", **timed)
    pending = ruled(asked.organiser, "void", ask_seats=True)
    yield from (table(live, match) for match in (over.match, live.create("dollar-prize")))
    yield from (table(live, match) for match in (live.started("dollar-prize", **timed), flipping))
    yield table(live, asked, pending["ruling"])
    yield corrected_table(live, over.match)


def table(live: Live, match: LiveMatch, ruling: str = "none") -> Table:
    spring = cup(live, players=["Ann", "Ben"], moderators=["Mo"])
    return Table(live, match, spring, spring.match(), ruling)


def corrected_table(live: Live, match: LiveMatch) -> Table:
    spring = cup(live, players=["Ann", "Ben"], moderators=["Mo"])
    played = spring.played()
    spring.give(played)
    # It is settled a moment after the lists show its result.
    wait_until(lambda: correct(spring, played, None, preview=True).status_code == 200)
    pending = corrected(spring, played, None)
    return Table(live, match, spring, played, correction=pending["ruling"])
