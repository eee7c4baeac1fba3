"""`/v1/tournaments/{id}/rulings`: penalties, disqualifications, rematches and seeds; the rules of
each kind are tested in the domain."""

from typing import Any

import pytest

from tests.support.http.match_keys import renewed
from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import listed, rule, ruled, second, seconded, withdraw
from tests.support.http.tournament_client import LiveCup, cup, staged
from tests.support.servers.live_server import Client, Json, Live
from tests.support.waiting import wait_until

PENALTY: Json = {"kind": "penalty", "player": 0, "points": 1}
GARNETS: Json = {"kind": "penalty", "player": 0, "garnets": 2}
OUT: Json = {"kind": "disqualify", "player": 0, "annul": True}


@pytest.fixture
def spring(live: Live) -> LiveCup:
    """A stage is open: all have had a bye. Mo moderates, and so does Cy, who plays."""
    made = cup(live, garnets={"Ann": 5})
    staged(made, published=True)
    return made


def standings(spring: LiveCup) -> dict[int, tuple[str, str, int]]:
    rows = spring.live.anyone.get(f"{spring.path}/standings").json()["rows"]
    return {row["player"]: (row["status"], row["points"], row["penalty"]) for row in rows}


def test_a_penalty_is_carried_out_as_it_was_previewed(live: Live, spring: LiveCup) -> None:
    assert_problem(rule(spring.by(), **PENALTY), 428, "preview_needed")
    preview = rule(spring.by(), **PENALTY, preview=True)
    seen = {"If-Match": preview.headers["etag"]}
    before, after = (preview.json()[one]["stage"]["rows"] for one in ("before", "after"))
    points = [next(row["points"] for row in rows if row["player"] == 0) for rows in (before, after)]
    assert points == ["2", "1"]
    assert standings(spring)[0] == ("entered", "2", 0)
    spring.post("players", {"name": "Di"})
    assert_problem(rule(spring.by(), **PENALTY, headers=seen), 412, "stale")
    assert ruled(spring.by(), **PENALTY)["status"] == "carried_out"
    assert standings(spring)[0] == ("entered", "1", 1)
    (shown,) = listed(spring.by(live.anyone))
    assert (shown["kind"], shown["match"], shown["ruling"]) == ("penalty", None, None)
    assert shown["effects"] == [
        {"type": "tournament.penalty-given.1", "data": {"player": 0, "stage": 1, "points": 1}}
    ]


def test_a_disqualification_takes_two_people(live: Live, spring: LiveCup) -> None:
    olga = live.bearing(renewed(live, spring.post("organisers", {"name": "Olga"}).json()["key"]))
    for client in (spring.moderator(), spring.player(1)):
        assert_problem(rule(spring.by(client), **OUT, preview=True), 403, "not_allowed")
    ruling = ruled(spring.by(olga), **OUT)["ruling"]
    assert [shown["ordered"]["player"] for shown in listed(spring.by(spring.moderator()))] == [0]
    assert_problem(second(spring.by(olga), ruling, preview=True), 403, "same_person")
    plays = spring.moderator(1)
    assert_problem(second(spring.by(plays), ruling, preview=True), 404, "no_such_ruling")
    assert_problem(withdraw(spring.by(plays), ruling), 404, "no_such_ruling")
    moderator = spring.by(spring.moderator())
    seen = {"If-Match": second(moderator, ruling, preview=True).headers["etag"]}
    carried_out = second(moderator, ruling, seen).json()
    assert (carried_out["kind"], carried_out["status"]) == ("disqualify", "carried_out")
    assert standings(spring)[0][0] == "disqualified"
    back = ruled(spring.by(), kind="reinstate", player=0)["ruling"]
    assert seconded(spring.by(olga), back).status_code == 201
    assert standings(spring)[0][0] == "entered"


def test_what_an_annulled_player_has_played_counts_for_no_one(live: Live) -> None:
    spring = cup(live)
    spring.played()

    def tally() -> list[tuple[int, int]]:
        rows = sorted(spring.shown()["standings"], key=lambda row: row["player"])
        return [(row["played"], row["won"] + row["shared"] + row["lost"]) for row in rows]

    wait_until(lambda: tally() == [(1, 1), (1, 1), (0, 0)])
    preview = rule(spring.by(), **OUT, preview=True).json()
    assert [row["played"] for row in preview["before"]["standings"]].count(1) == 2
    assert [row["played"] for row in preview["after"]["standings"]].count(1) == 0
    seconded(spring.by(spring.moderator()), ruled(spring.by(), **OUT)["ruling"])
    wait_until(lambda: tally() == [(0, 0)] * 3)
    back = ruled(spring.by(), kind="reinstate", player=0)["ruling"]
    seconded(spring.by(spring.moderator()), back)
    wait_until(lambda: tally() == [(1, 1), (1, 1), (0, 0)])


def test_a_rematch_counts_in_the_place_of_a_match(live: Live) -> None:
    spring = cup(live)
    first, again = spring.played(), spring.match()
    asked: Json = {"kind": "replace", "match": first.id, "by": again.id}
    ruling = ruled(spring.by(), **asked)["ruling"]
    assert seconded(spring.by(spring.moderator()), ruling).json()["kind"] == "replace"
    assert spring.row(first)["result"] is None
    (shown,) = listed(spring.by(live.anyone))
    assert [one["type"].split(".")[1] for one in shown["effects"]] == [
        "match-replaced", "match-corrected",
    ]  # fmt: skip
    other: Json = {"kind": "replace", "match": first.id, "by": spring.match().id, "preview": True}
    assert_problem(rule(spring.by(), **other), 422, "cannot_replace")


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        (PENALTY | {"garnets": 1}, 400, "wrong_shape"),
        ({"kind": "penalty", "player": 0}, 400, "wrong_shape"),
        (PENALTY | {"player": 7}, 422, "no_such_player"),
        (GARNETS | {"garnets": 6}, 422, "not_enough_garnets"),
        ({"kind": "seed", "order": [0, 0]}, 422, "paired_twice"),
        ({"kind": "reinstate", "player": 0}, 422, "not_disqualified"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(spring: LiveCup, asked: Json, status: int, code: str) -> None:
    assert_problem(rule(spring.by(), **asked, preview=True), status, code)


def shown_to(spring: LiveCup, clients: list[Client]) -> list[Any]:
    """All that is shown to these readers, but instants and ids."""
    paths = ("", "/rulings", "/standings", "/events?limit=500")
    answers = [client.get(f"{spring.path}{path}").json() for client in clients for path in paths]
    return [_without(answer) for answer in answers]


def _without(body: Any) -> Any:
    if isinstance(body, dict):
        hidden = ("at", "id", "started", "starts", "blind", "commit", "roster_hash")
        return {name: _without(part) for name, part in body.items() if name not in hidden}
    return [_without(part) for part in body] if isinstance(body, list) else body


def test_two_worlds_that_differ_in_what_is_hidden_of_rulings_are_one_to_others(live: Live) -> None:
    """How many garnets a penalty takes, and what is proposed and given up, nobody else learns."""
    received = []
    for garnets, pending in ((1, False), (3, True)):
        spring = cup(live, garnets={"Ann": 5})
        staged(spring, published=True)
        assert ruled(spring.by(), **(GARNETS | {"garnets": garnets}))["n"] == 1
        if pending:
            withdraw(spring.by(live.organiser), ruled(spring.by(), **OUT)["ruling"])
            ruled(spring.by(), **OUT)
        received.append(shown_to(spring, [live.anyone, spring.player(1), spring.moderator(1)]))
        *_, last = spring.ledger(spring.player(0)).json()["postings"]
        assert (last["amount"], last["reason"], last["by"]) == (garnets, "penalty", None)
    assert received[0] == received[1]
