"""Rosters over HTTP: lists of players in CSV, and the organiser's own ids of players."""

import time
from typing import Any

import pytest

from domain.tournament.commands import MOST_PLAYERS
from service.http.tournaments.roster import read_players
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.live_server import Answer, Json, Live

LIST = "\ufeffname, rating,team,external_id\r\n\r\nDi,1810,Red,D-7\r\n 'Éa , , ,\r\n"


def enter(spring: LiveCup, text: str | bytes, **headers: str) -> Answer:
    body = text if isinstance(text, bytes) else text.encode()
    sent = {"Content-Type": "text/csv; charset=utf-8"} | headers
    return spring.live.organiser.send("POST", f"{spring.path}/players", body, sent)


def roster(spring: LiveCup) -> list[Json]:
    answer = spring.live.organiser.get(f"{spring.path}/players")
    assert answer.headers["cache-control"] == "private, no-cache"
    listed: list[Json] = answer.json()["players"]
    return listed


def test_a_list_enters_all_its_players(spring: LiveCup) -> None:
    entered = enter(spring, LIST)
    assert entered.status_code == 201, entered.text
    players = entered.json()["players"]
    assert [(one["player"], one["name"]) for one in players] == [(3, "Di"), (4, "'Éa")]
    for one in players:
        asked = spring.live.bearing(one["key"]).post(
            f"{spring.path}/players/{one['player']}/withdrawal", {"reason": "ill"}
        )
        assert asked.status_code == 201
    di, ea = roster(spring)[3:]
    assert (di["rating"], di["team"], di["external_id"]) == (1810, "Red", "D-7")
    assert (ea["rating"], ea["team"], ea["external_id"]) == (None, None, None)


def test_players_who_get_keys_by_invitations_are_shown_none(live: Live) -> None:
    entered = enter(cup(live, keys="invitations", moderators=[]), "name\nDi\nEd\n").json()
    assert [one["key"] for one in entered["players"]] == [None, None]


def test_the_same_list_again_enters_no_one(spring: LiveCup) -> None:
    key = {"Idempotency-Key": "list"}
    first = enter(spring, LIST, **key).json()["players"]
    again = enter(spring, LIST, **key)
    assert (again.status_code, again.headers["idempotent-replayed"]) == (200, "true")
    assert again.json()["players"] == [one | {"key": None} for one in first]
    assert_problem(enter(spring, "name\nEd\n", **key), 422, "idempotency_key_reused")


LONG = "name\n" + "\n".join(f"P{number}" for number in range(MOST_PLAYERS + 2))

MISTAKEN: list[tuple[str | bytes, int, str, list[tuple[int, str, str | None]]]] = [
    ("", 400, "wrong_shape", [(1, "missing_field", "name")]),
    ("name\n\n", 400, "wrong_shape", [(2, "wrong_length", None)]),
    (
        "rating,Name,rating\n1,Di\n",
        400,
        "wrong_shape",
        [(1, "sent_twice", "rating"), (1, "unknown_field", None), (1, "missing_field", "name")],
    ),
    (
        "name,rating,seed\nDi,4001,0\n,1\nEd,x\nFay,1,2,3\nANN,\n",
        400,
        "wrong_shape",
        [
            (2, "out_of_range", "rating"),
            (2, "out_of_range", "seed"),
            (3, "missing_field", "name"),
            (4, "wrong_type", "rating"),
            (5, "wrong_length", None),
            (6, "used_already", "name"),
        ],
    ),
    (
        "name,external_id\n\nANN,1\nDi,2\nDI,3\nEd,2\nF\u200b ,4\n",
        422,
        "name_taken",
        [
            (3, "used_already", "name"),
            (5, "used_already", "name"),
            (6, "used_already", "external_id"),
            (7, "not_allowed_here", "name"),
        ],
    ),
    (
        LONG,
        400,
        "wrong_shape",
        [
            *(
                (line, "not_allowed_here", None)
                for line in range(MOST_PLAYERS - 1, MOST_PLAYERS + 2)
            ),
            (MOST_PLAYERS + 2, "wrong_length", None),
        ],
    ),
    ('name\n"Di\n', 400, "wrong_shape", [(2, "wrong_format", None)]),
    (b"name\nDi\n\xff\n", 400, "wrong_shape", [(3, "wrong_format", None)]),
]


@pytest.mark.parametrize(("text", "status", "code", "expected"), MISTAKEN)
def test_every_mistake_in_a_list_has_its_line_and_no_one_enters(
    spring: LiveCup, text: str, status: int, code: str, expected: list[Any]
) -> None:
    refused = assert_problem(enter(spring, text), status, code)
    found = [(one["line"], one["code"], one.get("name")) for one in refused["errors"]]
    assert found == expected
    assert refused["detail"].startswith(f"line {expected[0][0]}: ")
    assert len(roster(spring)) == 3


def test_the_organisers_own_ids_are_for_organisers_alone(spring: LiveCup) -> None:
    assert spring.post("players", {"name": "Di", "external_id": "secret-7"}).status_code == 201
    taken = spring.post("players", {"name": "Ed", "external_id": "secret-7"})
    assert_problem(taken, 422, "external_id_taken")
    assert roster(spring)[3]["external_id"] == "secret-7"
    for client in (spring.live.anyone, spring.player(0), spring.moderator()):
        for what in ("", "/players/3", "/events", "/export", "/bundle", "/ledger"):
            answer = client.get(spring.path + what)
            assert answer.status_code < 500 and "secret-7" not in answer.text, what
            assert b"secret-7" not in answer.content


def test_the_longest_list_is_read_in_little_time() -> None:
    rows = [f"Ünal Ångström {number},{number},{number}" for number in range(MOST_PLAYERS)]
    text = "\n".join(["name,rating,external_id", *rows]).encode()
    begun = time.thread_time()
    assert len(read_players(text).players) == MOST_PLAYERS
    assert time.thread_time() - begun < 0.1
