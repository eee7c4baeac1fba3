"""An `Idempotency-Key` is taken by every request that changes something, and is its sender's."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from uuid import uuid4

import msgspec
import pytest
from eventsourcing.sqlite import SQLiteAggregateRecorder

from service.composition.leading import unsettled, unsigned
from tests.support.http.case_client import close, opened
from tests.support.http.correction_client import corrected, previewed, second
from tests.support.http.invitations import token_of
from tests.support.http.match_keys import issued
from tests.support.http.openapi_document import check
from tests.support.http.routes import description
from tests.support.http.ruling_client import ruled
from tests.support.http.ruling_client import second as second_ruling
from tests.support.http.tournament_client import (
    LiveCup,
    choosing,
    closable,
    cup,
    feast,
    staged,
    waiting_match,
)
from tests.support.servers.live_server import Answer, Client, Json, Live, LiveMatch, Player, serving
from tests.support.waiting import wait_until

SHOWN_ONCE = {"key", "moderator_key", "link", "qr", "secret"}
"""Fields with secrets that the service does not store: null in the answer to a repeat."""

LATER = "2155-01-01T00:00:00Z"

WHY = "The judges have decided."


class Sent(NamedTuple):
    """A request, by whom it is sent, and by another person who may send it, too."""

    by: Client
    path: str
    body: Any = None
    other: Client | None = None
    method: str = "POST"
    headers: dict[str, str] = {}  # noqa: RUF012  not changed
    key: str = ""

    def send(self, live: Live, client: Client | None = None) -> Answer:
        sender, headers = client or self.by, self.headers | {"Idempotency-Key": self.key}
        if self.method == "POST":
            return sender.post(self.path, self.body, headers)
        content = None if self.body is None else msgspec.json.encode(self.body)
        return sender.send(self.method, self.path, content, headers)


def another_moderator(live: Live, match: LiveMatch) -> Client:
    return live.bearing(issued(match, {"role": "moderator", "name": "Mia"})["key"])


def created(live: Live) -> LiveMatch:
    return live.create("dollar-prize")


def coins(live: Live, **more: Any) -> LiveMatch:
    return live.started("dollar-prize", **more)


def of_match(rest: str, body: Any = None, **more: Any) -> Callable[[Live], Sent]:
    """A request of a moderator of a running match."""

    def made(live: Live) -> Sent:
        match = coins(live, **more)
        path = f"{match.anyone.path}{rest}"
        return Sent(match.moderator.client, path, body, another_moderator(live, match))

    return made


def start(live: Live) -> Sent:
    match = created(live)
    return Sent(live.organiser, f"{match.anyone.path}/start", None, live.judge)


def draw(live: Live) -> Sent:
    match = coins(live, chance="manual")
    assert match.seats[0].act({"type": "choose_side", "side": "heads"}).status_code == 201
    body = {"id": "setup", "outcome": ["heads"] * 5}
    path = f"{match.anyone.path}/draws"
    return Sent(match.moderator.client, path, body, another_moderator(live, match))


def close_phase(live: Live) -> Sent:
    match = live.started("dollar-prize", options={"turn_seconds": 1_000})
    other = another_moderator(live, match)
    return Sent(match.moderator.client, f"{match.anyone.path}/close-phase", None, other)


def client_seed(live: Live) -> Sent:
    match = created(live)
    one, two = match.seats
    return Sent(one.client, f"{one.path}/client-seeds", {"seed": "dice"}, two.client)


def ready(live: Live) -> Sent:
    spring = cup(live, players=["Ann", "Ben"], moderators=[])
    match = waiting_match(spring)
    return Sent(spring.player(0), f"/v1/matches/{match}/ready", None, spring.player(1))


def act(live: Live) -> Sent:
    match = coins(live)
    one, two = match.seats
    return Sent(
        one.client, f"{one.path}/actions", {"type": "choose_side", "side": "heads"}, two.client
    )


def consent(live: Live) -> Sent:
    match = coins(live)
    asked = ruled(match.moderator, "void", ask_seats=True)
    one, two = match.seats
    return Sent(one.client, f"{one.path}/rulings/{asked['ruling']}/consent", None, two.client)


def ruling(live: Live) -> Sent:
    match = coins(live)
    body = {"kind": "pause", "reason": WHY}
    path = f"{match.anyone.path}/rulings"
    return Sent(match.moderator.client, path, body, another_moderator(live, match))


def seconded(live: Live) -> Sent:
    match = coins(live)
    other = another_moderator(live, match)
    pending = ruled(match.moderator, "void")["ruling"]
    looked = second_ruling(match.judge, pending, preview=True)
    headers = {"If-Match": looked.headers["etag"]}
    path = f"{match.anyone.path}/rulings/{pending}/second"
    return Sent(match.judge.client, path, {}, other, headers=headers)


def withdrawn(live: Live) -> Sent:
    match = coins(live)
    path = f"{match.anyone.path}/rulings/{ruled(match.moderator, 'void')['ruling']}"
    return Sent(match.moderator.client, path, None, live.organiser, "DELETE")


def in_case(what: str, body: Any = None, *, closed: bool = False) -> Callable[[Live], Sent]:
    """Something that is done in a case by a party, or by organisers."""

    def made(live: Live) -> Sent:
        match = coins(live)
        case = opened(match.seats[0])
        if closed:
            assert close(match.moderator, case).status_code == 204
        path = f"{match.anyone.path}/cases/{case}/{what}"
        by_seat = what in ("statements", "appeal")
        by = match.seats[0].client if by_seat else live.organiser
        return Sent(by, path, body, match.seats[1].client if by_seat else live.judge)

    return made


def in_cup_case(what: str, body: Any = None, *, closed: bool = False) -> Callable[[Live], Sent]:
    """Something that is done in a case about a tournament."""

    def made(live: Live) -> Sent:
        spring = cup(live)
        ann, ben = (spring.player(number) for number in range(2))
        case = opened(Player(ann, spring.id, "tournaments"))
        staff = Player(live.organiser, spring.id, "tournaments")
        if closed:
            assert close(staff, case).status_code == 204
        by_player = what in ("statements", "appeal")
        by, other = (ann, ben) if by_player else (live.organiser, live.judge)
        return Sent(by, f"{spring.path}/cases/{case}/{what}", body, other)

    return made


def open_cup_case(live: Live) -> Sent:
    spring = cup(live)
    return Sent(
        spring.player(0), f"{spring.path}/cases", {"says": "We have met."}, spring.player(1)
    )


def open_case(live: Live) -> Sent:
    one, two = coins(live).seats
    return Sent(one.client, f"{one.path}/cases", {"says": "It fell."}, two.client)


def by_organisers(path: str, body: Any) -> Callable[[Live], Sent]:
    return lambda live: Sent(live.organiser, path, body, live.judge)


def of_matches(rest: str, body: Any) -> Callable[[Live], Sent]:
    """A request of an organiser about a match."""
    return lambda live: Sent(live.organiser, f"{coins(live).anyone.path}{rest}", body, live.judge)


def of_cups(rest: str, body: Any, method: str = "POST") -> Callable[[Live], Sent]:
    return lambda live: Sent(live.organiser, f"{cup(live).path}{rest}", body, live.judge, method)


def of_organisers(rest: str = "", method: str = "POST") -> Callable[[Live], Sent]:
    """A request about an organiser who was appointed."""

    def made(live: Live) -> Sent:
        spring = cup(live)
        assert spring.post("organisers", {"name": "Zed"}).status_code == 201
        return Sent(live.organiser, f"{spring.path}/organisers/0{rest}", None, live.judge, method)

    return made


def end_key(live: Live) -> Sent:
    match = coins(live)
    key = issued(match, {"role": "seat:0", "name": "Ann"})["id"]
    return Sent(live.organiser, f"{match.anyone.path}/keys/{key}", None, live.judge, "DELETE")


def invited(live: Live, match: LiveMatch) -> Json:
    made: Json = live.organiser.post(f"{match.anyone.path}/invitations", {"seat": 0}).json()
    return made


def revoke(live: Live) -> Sent:
    match = coins(live)
    path = f"{match.anyone.path}/invitations/{invited(live, match)['id']}"
    return Sent(live.organiser, path, None, live.judge, "DELETE")


def accept(live: Live) -> Sent:
    match = coins(live)
    body = {"token": token_of(invited(live, match))}
    return Sent(live.anyone, f"{match.anyone.path}/invitations/accept", body)


def open_table(live: Live) -> Sent:
    return Sent(live.anyone, "/v1/tables", {"game": "dollar-prize", "name": "Ann"})


def recover(live: Live) -> Sent:
    asked = open_table(live)._replace(key=uuid4().hex)
    table = asked.send(live).json()
    return Sent(live.anyone, f"/v1/matches/{table['match']}/recover", {"code": table["recovery"]})


def register(live: Live) -> Sent:
    spring = cup(live)
    made = spring.post("registration", {}).json()
    body = {"name": "Zed", "token": made["link"].partition("#register-")[2]}
    return Sent(live.anyone, f"{spring.path}/registration/entries", body)


def accept_as_player(live: Live) -> Sent:
    spring = cup(live)
    body = {"token": token_of(spring.post("players/0/invitation", {}).json())}
    return Sent(live.anyone, f"{spring.path}/invitations/accept", body)


def ticket(live: Live) -> Sent:
    one, two = coins(live).seats
    return Sent(one.client, f"{one.path}/stream-tickets", None, two.client)


def give(live: Live) -> Sent:
    spring = cup(live)
    path = f"{spring.path}/matches/{spring.match().id}/moderators"
    return Sent(live.organiser, path, {"moderator": 0})


def take(live: Live) -> Sent:
    spring = cup(live)
    match = spring.match()
    assert spring.give(match).status_code == 201
    path = f"{spring.path}/matches/{match.id}/moderators/0"
    return Sent(live.organiser, path, None, live.judge, "DELETE")


def correction(live: Live) -> Sent:
    spring, match = settled(live)
    body = {"kind": "correct", "match": match.id, "result": None, "reason": WHY}
    seen = previewed(live.organiser.post(f"{spring.path}/rulings", body | {"preview": True}))
    return Sent(live.organiser, f"{spring.path}/rulings", body, live.judge, headers=seen)


def settled(live: Live) -> tuple[LiveCup, LiveMatch]:
    spring = cup(live)
    match = spring.played()
    assert spring.give(match).status_code == 201
    return spring, match


def second_correction(live: Live) -> Sent:
    spring, match = settled(live)
    pending = corrected(spring, match, None)["ruling"]
    by = spring.moderator(0)
    seen = previewed(second(spring, by, pending, preview=True))
    return Sent(by, f"{spring.path}/rulings/{pending}/second", {}, headers=seen)


def withdraw_correction(live: Live) -> Sent:
    spring, match = settled(live)
    path = f"{spring.path}/rulings/{corrected(spring, match, None)['ruling']}"
    return Sent(live.organiser, path, None, live.judge, "DELETE")


def of_stages(
    what: str = "", body: Any = None, *, published: bool = False, method: str = "POST"
) -> Callable[[Live], Sent]:
    """A request of an organiser about a new stage."""

    def made(live: Live) -> Sent:
        spring = cup(live)
        path = f"{spring.path}/stages/{staged(spring, published=published)}{what}"
        return Sent(live.organiser, path, body, live.judge, method)

    return made


def publish(live: Live) -> Sent:
    spring = cup(live)
    number = staged(spring, published=False)
    body, headers = feast(spring, number)
    path = f"{spring.path}/stages/{number}/rounds"
    return Sent(live.organiser, path, body, live.judge, headers=headers)


def withdrawn_round(live: Live) -> Sent:
    spring = cup(live, players=["Ann", "Ben"])
    waiting_match(spring)
    path = f"{spring.path}/stages/1/rounds/1"
    return Sent(live.organiser, path, {"reason": WHY}, live.judge, "DELETE")


def forfeit(live: Live) -> Sent:
    spring = cup(live, players=["Ann", "Ben"])
    sent = {"match": waiting_match(spring), "absent": [0, 1], "reason": WHY}
    path = f"{spring.path}/stages/1/rounds/1/forfeits"
    return Sent(live.organiser, path, sent, live.judge)


def more_time(live: Live) -> Sent:
    spring = cup(live, players=["Ann", "Ben"])
    waiting_match(spring)
    path = f"{spring.path}/stages/1/rounds/1/time"
    return Sent(live.organiser, path, {"ends": LATER, "reason": WHY}, live.judge)


def of_players(what: str, body: Any = None, method: str = "POST") -> Callable[[Live], Sent]:
    """A request of a player of a tournament with a stage and a check-in; to return, of one who has
    left."""

    def made(live: Live) -> Sent:
        spring = cup(live)
        staged(spring, published=False)
        assert spring.post("check-in", {"closes": LATER}).status_code == 201
        path = f"{spring.path}/{what}"
        if method == "DELETE":
            assert spring.player(0).post(path, {"reason": WHY}).status_code == 201
        return Sent(spring.player(0), path, body, method=method)

    return made


def choice(live: Live) -> Sent:
    spring = cup(live)
    path = f"{spring.path}/stages/{choosing(spring)}/rounds/1/opponent"
    return Sent(spring.player(0), path, {"player": 1})


def followed(live: Live, name: str, asked: Sent) -> None:
    """Returns when the service has done by itself what follows from a request."""
    if name in ("withdrawRound", "forfeitMatch"):
        wait_until(lambda: not unsettled(live.instance.index))
    if name == "chooseOpponent":
        shown = asked.path.removesuffix("/opponent")
        wait_until(lambda: live.anyone.get(shown).json()["created"] == 2)


def without_what_followed(body: Any) -> Any:
    """The answer to a choice without the match that follows from it."""
    return {name: value for name, value in body.items() if name not in ("created", "show")}


def webhook(live: Live) -> Sent:
    return Sent(live.organiser, "/v1/webhooks", {"url": "https://a.example/"}, live.judge)


def registered(live: Live) -> str:
    made = live.organiser.post("/v1/webhooks", {"url": "https://a.example/"})
    assert made.status_code == 201, made.text
    return f"/v1/webhooks/{made.json()['id']}"


def calendar(live: Live) -> Sent:
    match = coins(live)
    return Sent(live.organiser, "/v1/calendars", {"match": match.id}, live.judge)


def remove_calendar(live: Live) -> Sent:
    made = live.organiser.post("/v1/calendars", {"match": coins(live).id}).json()["id"]
    return Sent(live.organiser, f"/v1/calendars/{made}", None, live.judge, "DELETE")


MATCH: Json = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}

STAGE: Json = {"name": "S", "format": "swiss", "match": {"game": "dollar-prize"}}

RENAME = of_cups("/players/0/name", {"name": "Zoe", "reason": WHY})
"""Done by someone else, too, it changes nothing more, and says so."""

REQUESTS: dict[str, Callable[[Live], Sent]] = {
    "createMatch": by_organisers("/v1/matches", MATCH),
    "startMatch": start,
    "enterDraw": draw,
    "closePhase": close_phase,
    "giveClientSeed": client_seed,
    "sayReady": ready,
    "act": act,
    "rule": ruling,
    "secondRuling": seconded,
    "consentToRuling": consent,
    "withdrawRuling": withdrawn,
    "openCase": open_case,
    "sayInCase": in_case("statements", {"says": "I saw it."}),
    "addCaseParty": in_case("parties", {"seat": 1}),
    "publishCase": in_case("publish"),
    "closeCase": in_case("close", {"note": "It stands."}),
    "appealCase": in_case("appeal", {"says": "No."}, closed=True),
    "openTournamentCase": open_cup_case,
    "sayInTournamentCase": in_cup_case("statements", {"says": "I saw it."}),
    "addTournamentCaseParty": in_cup_case("parties", {"player": 1}),
    "publishTournamentCase": in_cup_case("publish"),
    "closeTournamentCase": in_cup_case("close", {"note": "It stands."}),
    "appealTournamentCase": in_cup_case("appeal", {"says": "No."}, closed=True),
    "issueMatchKey": of_matches("/keys", {"role": "seat:0", "name": "Ann"}),
    "endMatchKey": end_key,
    "inviteToSeat": of_matches("/invitations", {"seat": 0}),
    "revokeInvitation": revoke,
    "acceptInvitation": accept,
    "giveStreamTicket": ticket,
    "signCheckpoint": of_match("/checkpoints"),
    "createTournament": by_organisers("/v1/tournaments", {"name": "Cup", "players": ["Ann"]}),
    "giveMatch": give,
    "takeMatch": take,
    "appointOrganiser": of_cups("/organisers", {"name": "Zed"}),
    "giveOrganiserKey": of_organisers("/key"),
    "removeOrganiser": of_organisers(method="DELETE"),
    "invitePlayer": of_cups("/players/0/invitation", {}),
    "acceptPlayerInvitation": accept_as_player,
    "openRegistration": of_cups("/registration", {}),
    "closeRegistration": of_cups("/registration", None, "DELETE"),
    "registerPlayer": register,
    "openTable": open_table,
    "recoverSeat": recover,
    "givePlayerKey": of_cups("/players/0/key", None),
    "giveModeratorKey": of_cups("/moderators/0/key", None),
    "removeModerator": of_cups("/moderators/0", None, "DELETE"),
    "enterPlayer": of_cups("/players", {"name": "Zed"}),
    "appointModerator": of_cups("/moderators", {"name": "Zed"}),
    "withdrawPlayer": of_players("players/0/withdrawal", {"reason": WHY}),
    "withholdPlayerName": of_cups("/players/0/name", None, "DELETE"),
    "withholdSeatName": lambda live: Sent(
        live.organiser, f"/v1/matches/{coins(live).id}/seats/0/name", None, method="DELETE"
    ),
    "renamePlayer": lambda live: RENAME(live)._replace(other=None),
    "returnPlayer": of_players("players/0/withdrawal", method="DELETE"),
    "openCheckIn": of_cups("/check-in", {"closes": LATER}),
    "checkIn": of_players("players/0/check-in"),
    "askBye": of_players("players/0/byes", {"round": 1}),
    "giveLotsSeed": of_players("client-seeds", {"seed": "dice"}),
    "postGarnets": of_cups("/garnets", {"player": 0, "amount": 2, "reason": "best of the day"}),
    "addStage": of_cups("/stages", STAGE),
    "changeStage": of_stages(body={"rounds": 2}, method="PATCH"),
    "publishRound": publish,
    "withdrawRound": withdrawn_round,
    "forfeitMatch": forfeit,
    "extendRound": more_time,
    "drawLots": of_stages("/lots", {}),
    "chooseOpponent": choice,
    "closeStage": of_stages("/close", {}, published=True),
    "closeTournament": lambda live: Sent(
        live.organiser, f"{closable(live).path}/close", {}, live.judge
    ),
    "ruleOnTournament": correction,
    "secondRulingOnTournament": second_correction,
    "withdrawRulingOnTournament": withdraw_correction,
    "registerWebhook": webhook,
    "removeWebhook": lambda live: Sent(
        live.organiser, registered(live), None, live.judge, "DELETE"
    ),
    "makeCalendar": calendar,
    "removeCalendar": remove_calendar,
}

ON_RECORD = {
    "act", "addStage", "enterPlayer", "appointModerator", "appointOrganiser", "postGarnets",
    "withdrawPlayer", "withdrawRound", "extendRound", "openCheckIn", "checkIn", "giveLotsSeed",
    "sayReady", "renamePlayer", "openRegistration",
}  # fmt: skip
"""Requests whose keys are on the record of the match or of the tournament."""

KEPT_BY_THE_SENDER = {
    "acceptInvitation", "acceptPlayerInvitation", "registerPlayer", "openTable", "recoverSeat",
}  # fmt: skip
"""Requests whose secrets are shown again to the one who has the key of the request."""

ELSEWHERE = {"redeliver", "renewKey"}
"""The first below, as it needs a receiver; a key that is renewed shows the new one to a repeat."""


def request(live: Live, name: str) -> Sent:
    """The request, under a key of its own."""
    return REQUESTS[name](live)._replace(key=uuid4().hex)


def without_secrets(body: Any) -> Any:
    """What is shown of a body that is shown again."""
    if isinstance(body, list):
        return [without_secrets(one) for one in body]
    if not isinstance(body, dict):
        return body
    return {
        name: None if name in SHOWN_ONCE else without_secrets(value) for name, value in body.items()
    }


def content(answer: Answer) -> Any:
    return answer.json() if answer.content else None


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A service of our own: what it writes is counted."""
    with serving(tmp_path_factory.mktemp("once")) as server:
        yield server


def written(live: Live) -> tuple[int, int, int]:
    """How much is on record, when the logs of all matches that are over are signed."""
    wait_until(lambda: not unsigned(live.instance.index))
    webhooks = live.instance.webhooks
    return live.instance.store.end(), len(webhooks.all()), len(webhooks.calendars.all())


def test_every_request_that_changes_something_is_tried() -> None:
    operations = {
        operation["operationId"]: operation
        for path in description()["paths"].values()
        for method, operation in path.items()
        if method not in ("get", "head", "parameters")
    }
    assert operations.keys() == REQUESTS.keys() | ELSEWHERE
    for name, operation in operations.items():
        headers = {one["name"] for one in operation["parameters"] if one["in"] == "header"}
        assert "Idempotency-Key" in headers, name


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_done_once_under_a_key_of_its_sender(
    live: Live, document: Json, name: str
) -> None:
    asked = request(live, name)
    a_malformed_key_changes_nothing(live, asked)
    first = asked.send(live)
    assert first.status_code in (200, 201, 202, 204), first.text
    assert "idempotent-replayed" not in first.headers
    followed(live, name, asked)
    before = written(live)

    again = asked.send(live)

    check(document, name, again)
    assert again.status_code == (204 if first.status_code == 204 else 200), again.text
    assert again.headers["idempotent-replayed"] == "true"
    for header in ("etag", "location"):
        assert again.headers.get(header) == first.headers.get(header)
    shown = without_secrets if name not in KEPT_BY_THE_SENDER else lambda body: body
    if name == "chooseOpponent":
        shown = without_what_followed
        assert shown(content(again)) == shown(content(first))
    else:
        assert content(again) == shown(content(first))
    assert written(live) == before
    no_secret_is_stored(live, asked, content(first))
    if name not in ON_RECORD:
        another_request_under_the_key_is_refused(live, asked)
    if asked.other is not None:
        # The same of another person is a request of its own.
        other = asked.send(live, asked.other)
        assert "idempotent-replayed" not in other.headers
        assert other.status_code != 422 or other.json()["code"] != "idempotency_key_reused"


def a_malformed_key_changes_nothing(live: Live, asked: Sent) -> None:
    before = written(live)
    answer = asked._replace(key="two words").send(live)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_idempotency_key")
    assert written(live) == before


def another_request_under_the_key_is_refused(live: Live, asked: Sent) -> None:
    """Of senders with a key that is not for one match."""
    body = {"match": coins(live).id}
    elsewhere = asked.by.post("/v1/calendars", body, {"Idempotency-Key": asked.key})
    if elsewhere.status_code not in (401, 403, 404):
        assert elsewhere.json()["code"] == "idempotency_key_reused"


def no_secret_is_stored(live: Live, asked: Sent, shown: Any) -> None:
    recorder = live.instance.store.keyrings
    if not isinstance(recorder, SQLiteAggregateRecorder):
        return
    with recorder.datastore.transaction(commit=False) as c:
        c.execute(f"SELECT state FROM {recorder.events_table_name}")  # noqa: S608  the test's own
        stored = b"".join(row["state"] for row in c.fetchall())
    assert [secret for secret in secrets(shown) if secret.encode() in stored] == []
    assert asked.key.encode() not in stored


def secrets(body: Any) -> Iterator[str]:
    """What an answer shows once; of links, what stands after the address."""
    for one in body if isinstance(body, list) else ():
        yield from secrets(one)
    for name, value in body.items() if isinstance(body, dict) else ():
        if name in SHOWN_ONCE | {"ticket"} and isinstance(value, str):
            yield value.partition("#")[2] or value.partition("?token=")[2] or value
        else:
            yield from secrets(value)


def test_a_second_close_under_one_key_ends_no_other_phase(live: Live) -> None:
    asked = request(live, "closePhase")
    first = asked.send(live).json()
    view = asked.path.replace("close-phase", "view")
    assert asked.by.get(view).json()["seq"] == first["view"]["seq"]
    asked.send(live)
    assert asked.by.get(view).json()["seq"] == first["view"]["seq"]
