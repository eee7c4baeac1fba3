"""Open tables over HTTP: anyone opens one, a friend takes a seat by its link, and both play."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.proof.notes import verifier_key
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import verify
from service.read_models.match_projection import IDLE_TABLE
from service.settings import Limits
from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import consent, rule, ruled
from tests.support.instants import NOON
from tests.support.servers.live_server import Answer, Json, Live, Player, body_of, serving
from tests.support.virtual_clock import VirtualClock

BODY: Json = {"game": "dollar-prize", "name": "Ann"}
MINE, OTHERS = "drawn-at-random-1", "drawn-at-random-2"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A service that allows twenty open tables."""
    with serving(tmp_path_factory.mktemp("tables"), limits=Limits(open_tables=20)) as live:
        yield live


def post(live: Live, path: str, body: Json, key: str | None = MINE) -> Answer:
    return live.anyone.post(path, body, once=key)


def opened(live: Live, key: str, **more: Any) -> Json:
    return body_of(post(live, "/v1/tables", {**BODY, **more}, key), 201)


def take(live: Live, table: Json, name: str | None = "Ben", key: str = OTHERS) -> Answer:
    sent = {"token": table["link"].partition("#")[2], "name": name}
    return post(live, f"/v1/matches/{table['match']}/invitations/accept", sent, key)


def at(live: Live, table: Json, key: str) -> Player:
    return Player(live.bearing(key), table["match"])


def ready(player: Player) -> Answer:
    return player.client.post(f"{player.path}/ready")


def test_two_friends_play_without_an_organiser(tables: Live) -> None:
    table = opened(tables, "table-of-two-friends")
    assert table["link"].startswith(f"{tables.url}/play/{table['match']}#")
    taken = take(tables, table)
    assert taken.status_code == 201, taken.text
    ann, ben = at(tables, table, table["key"]), at(tables, table, taken.json()["key"])
    assert ready(ann).json() == {"match": table["match"], "ready": [0]}
    assert ready(ann).status_code == 200
    shown = tables.anyone.get(ann.path).json()
    assert (shown["seats"], shown["status"], shown["open_table"]) == (
        ["Ann", "Ben"],
        "created",
        True,
    )
    assert ready(ben).json()["ready"] == [0, 1]
    assert ann.view().json()["status"] == "running"
    assert ann.act({"type": "choose_side", "side": "heads"}).status_code == 201
    assert_problem(ready(ben), 409, "already_started")


def test_a_seat_is_taken_once(tables: Live) -> None:
    table = opened(tables, "a-seat-is-taken-once")
    assert_problem(take(tables, table, "Ann"), 422, "name_not_allowed")
    assert_problem(take(tables, table, None), 400, "wrong_shape")
    taken, repeated = take(tables, table), take(tables, table)
    assert (taken.status_code, repeated.status_code, repeated.json()) == (201, 200, taken.json())
    assert_problem(take(tables, table, "Ben", "drawn-at-random-3"), 409, "invitation_accepted")
    assert_problem(take(tables, table, "Cleo", "drawn-at-random-3"), 409, "table_full")
    wrong = {**table, "link": "#guessed"}
    assert_problem(take(tables, wrong, "Cleo"), 404, "no_such_invitation")


def test_a_seat_is_taken_also_by_one_who_is_called_as_it_was(tables: Live) -> None:
    table = opened(tables, "called-as-the-free-seat-was")
    assert take(tables, table, "Seat 2").status_code == 201
    assert_problem(take(tables, table, "Cleo", "drawn-at-random-3"), 409, "table_full")
    shown = tables.anyone.get(f"/v1/matches/{table['match']}").json()
    assert shown["seats"] == ["Ann", "Seat 2"]


def test_a_lost_seat_is_had_again_by_its_code_alone(tables: Live) -> None:
    table = opened(tables, "a-lost-seat-had-again")
    path = f"/v1/matches/{table['match']}/recover"
    old = at(tables, table, table["key"])
    code = table["recovery"].lower().replace("-", " ")
    new = post(tables, path, {"code": code})
    assert new.status_code == 201, new.text
    assert_problem(old.view(), 401, "key_unknown")
    assert ready(at(tables, table, new.json()["key"])).status_code == 201
    assert post(tables, path, {"code": code}).json() == new.json()
    assert post(tables, path, {"code": code}, OTHERS).json()["key"] != new.json()["key"]
    assert_problem(post(tables, path, {"code": "ABCD"}), 404, "no_such_invitation")


def test_its_bundle_is_sound(tmp_path: Path) -> None:
    clock = VirtualClock(NOON)
    with serving(tmp_path, clock) as live:
        table = opened(live, "a-table-whose-bundle-is-sound", clock="none")
        ben = at(live, table, take(live, table).json()["key"])
        assert [ready(one).status_code for one in (at(live, table, table["key"]), ben)] == [
            201,
            201,
        ]
        live.run(lambda: clock.pass_time(IDLE_TABLE))
        voiding = live.instance.tables.void_idle()
        asyncio.run_coroutine_threadsafe(voiding, live.loop).result(10)
        bundle = live.anyone.get(f"{ben.path}/bundle", as_="moderator")
        keys = [verifier_key(one["key"]) for one in live.anyone.get("/v1/keys").json()["keys"]]
    report = verify(bundle.content, VerifierInputs(keys))
    assert (report.verdict, report.finding) == ("PASS", None)


def test_no_organiser_rules_at_it(tables: Live) -> None:
    table = opened(tables, "nobody-rules-at-a-table")
    organiser = Player(tables.organiser, table["match"])
    assert_problem(organiser.start(), 403, "not_allowed")
    ruling = {"kind": "void", "reason": "I say so."}
    assert_problem(organiser.client.post(f"{organiser.path}/rulings", ruling), 403, "not_allowed")
    assert_problem(organiser.client.get(f"{organiser.path}/keys"), 403, "not_allowed")


def test_the_operator_withholds_a_name_at_it(tables: Live) -> None:
    table = opened(tables, "a-name-that-is-withheld")
    take(tables, table)
    path = f"/v1/matches/{table['match']}"
    assert tables.organiser.send("DELETE", f"{path}/seats/1/name").status_code == 204
    assert tables.anyone.get(path).json()["seats"] == ["Ann", "Player 1"]
    assert "Ben" not in tables.anyone.get(f"{path}/events").text


def test_what_its_seats_agree_on_is_carried_out(tables: Live) -> None:
    table = opened(tables, "what-its-seats-agree-on")
    ann, ben = (at(tables, table, key) for key in (table["key"], take(tables, table).json()["key"]))
    assert ready(ann).status_code == ready(ben).status_code == 201
    ruling = ruled(ann, "void", ask_seats=True)
    assert ann.view().json()["status"] == "running"
    consent = ben.client.post(f"{ben.path}/rulings/{ruling['ruling']}/consent")
    assert consent.status_code == 201, consent.text
    assert ann.view().json()["status"] == "void"


def test_who_waits_alone_at_it_closes_it(tmp_path: Path) -> None:
    with serving(tmp_path) as live:
        table = opened(live, "a-table-to-which-nobody-comes", seats=3, game="liars-dice")
        ann = at(live, table, table["key"])
        ben = at(live, table, take(live, table).json()["key"])
        asked = ruled(ann, "void", ask_seats=True)
        assert asked["status"] == "pending"
        consent = ben.client.post(f"{ben.path}/rulings/{asked['ruling']}/consent")
        assert consent.status_code == 201, consent.text
        assert ann.view().json()["status"] == "void", "nobody consents for the free seat"
        other = opened(live, "another-to-which-nobody-comes")
        alone = at(live, other, other["key"])
        assert_problem(rule(alone, "pause", ask_seats=True), 409, "match_not_running")
        assert ruled(alone, "void", ask_seats=True)["status"] == "carried_out"
        assert alone.view().json()["status"] == "void"
        assert_problem(take(live, other), 409, "match_over")
        bundle = live.anyone.get(f"{alone.path}/bundle", as_="moderator")
        keys = [verifier_key(one["key"]) for one in live.anyone.get("/v1/keys").json()["keys"]]
    assert verify(bundle.content, VerifierInputs(keys)).verdict == "PASS"


def agree_to_end(ann: Player, ben: Player) -> None:
    assert ready(ann).status_code == ready(ben).status_code == 201
    ruling = ruled(ann, "void", ask_seats=True)["ruling"]
    assert consent(ben, ruling).status_code == 201


def play_again(player: Player, key: str = MINE) -> Answer:
    return player.client.post(f"{player.path}/again", headers={"Idempotency-Key": key})


def test_its_players_play_on_at_one_table_at_which_seats_rotate(tables: Live) -> None:
    table = opened(tables, "they-play-on-at-one-table", options={"turn_seconds": 77})
    ann, ben = (at(tables, table, key) for key in (table["key"], take(tables, table).json()["key"]))
    stranger = at(tables, opened(tables, "a-table-of-strangers"), table["key"])
    assert_problem(play_again(ann), 409, "match_not_over")
    agree_to_end(ann, ben)
    none = ann.client.get(f"{ann.path}/again")
    assert none.json() == {"match": None}

    first, second = play_again(ben), play_again(ann)

    assert (first.status_code, second.status_code) == (201, 201), first.text + second.text
    following, other = first.json(), second.json()
    assert (following["match"], following["seat"]) == (other["match"], 0)
    assert (other["seat"], other["link"]) == (1, None)
    assert following["link"].startswith(f"{tables.url}/play/{following['match']}#")
    for answer, player in ((first, ben), (second, ann)):
        repeated = play_again(player)
        assert (repeated.status_code, repeated.json()) == (200, answer.json())
        assert_problem(play_again(player, OTHERS), 409, "invitation_accepted")
    shown = tables.anyone.get(f"/v1/matches/{other['match']}").json()
    assert (shown["seats"], shown["open_table"]) == (["Ben", "Ann"], True)
    assert shown["options"] == tables.anyone.get(ann.path).json()["options"]
    first_event = tables.anyone.get(f"/v1/matches/{other['match']}/events").json()["events"][0]
    assert first_event["data"]["again"] == table["match"]
    known = {"If-None-Match": none.headers["etag"]}
    found = ann.client.get(f"{ann.path}/again", headers=known)
    assert (found.status_code, found.json()) == (200, {"match": other["match"]})
    known = {"If-None-Match": found.headers["etag"]}
    assert ben.client.get(f"{ben.path}/again", headers=known).status_code == 304
    for one in (stranger, at(tables, table, table["recovery"])):
        assert one.client.get(f"{one.path}/again").status_code in (401, 403, 404)
        assert play_again(one).status_code in (401, 403, 404)
    players = (at(tables, one, one["key"]) for one in (following, other))
    assert [ready(one).status_code for one in players] == [201, 201]


def test_another_plays_on_by_the_link_of_the_next_table(tables: Live) -> None:
    table = opened(tables, "another-plays-on-by-link")
    ann, ben = (at(tables, table, key) for key in (table["key"], take(tables, table).json()["key"]))
    agree_to_end(ann, ben)
    following = body_of(play_again(ann), 201)
    assert following["seat"] == 1
    assert take(tables, following, "Cleo").json()["seat"] == 0
    assert_problem(play_again(ben), 409, "table_full")


def test_a_table_for_three(tables: Live) -> None:
    table = opened(tables, "a-table-for-three-of-us", game="liars-dice", seats=3)
    named = [take(tables, table, name, f"drawn-at-random-{name}") for name in ("Ben", "Cleo")]
    assert [one.json()["seat"] for one in named] == [1, 2]
    keys = [table["key"], *(one.json()["key"] for one in named)]
    assert [ready(at(tables, table, key)).status_code for key in keys] == [201, 201, 201]
    assert at(tables, table, keys[2]).view().json()["status"] == "running"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"game": "chess"}, 422, "unknown_game"),
        ({"seats": 3}, 422, "seats_not_allowed"),
        ({"name": " Ann"}, 422, "name_not_allowed"),
        ({"options": {"wings": 2}}, 400, "wrong_shape"),
    ],
    ids=str,
)
def test_what_cannot_be_opened_is_refused(tables: Live, body: Json, status: int, code: str) -> None:
    answer = post(tables, "/v1/tables", {**BODY, **body}, "what-cannot-be-opened")
    assert_problem(answer, status, code)


def test_whoever_repeats_nothing_needs_no_idempotency_key(tables: Live) -> None:
    table = post(tables, "/v1/tables", BODY, None)
    assert table.status_code == 201, table.text
    path = f"/v1/matches/{table.json()['match']}"
    sent = {"token": table.json()["link"].partition("#")[2], "name": "Ben"}
    assert post(tables, f"{path}/invitations/accept", sent, None).status_code == 201
    code = {"code": table.json()["recovery"]}
    assert post(tables, f"{path}/recover", code, None).status_code == 201
    assert_problem(post(tables, f"{path}/recover", code, "short"), 400, "idempotency_key_needed")


@pytest.mark.parametrize(
    ("most", "status", "code"), [(0, 403, "no_open_tables"), (1, 429, "too_many_tables")]
)
def test_there_are_no_more_than_the_operator_allows(
    tmp_path: Path, most: int, status: int, code: str
) -> None:
    with serving(tmp_path, limits=Limits(open_tables=most)) as live:
        for number in range(most):
            first = opened(live, f"a-table-that-is-allowed-{number}")
            again = post(live, "/v1/tables", BODY, f"a-table-that-is-allowed-{number}")
            assert body_of(again, 200) == first
        assert_problem(post(live, "/v1/tables", BODY, "one-table-too-many"), status, code)
