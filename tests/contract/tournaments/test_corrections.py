"""`/v1/tournaments/{id}/rulings`: how a settled match counts is corrected (rulings, section 3)."""

from html import unescape
from uuid import uuid4

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import (
    LOST,
    WHY,
    listed,
    rule,
    ruled,
    second,
    seconded,
    withdraw,
)
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.live_server import Json, Live, LiveMatch
from tests.support.waiting import wait_until


def correction(match: LiveMatch, result: Json | None) -> Json:
    return {"kind": "correct", "match": match.id, "result": result}


@pytest.fixture(scope="module")
def spring(live: Live) -> LiveCup:
    """Ann, Ben and Cy; Mo moderates, and so does Cy."""
    return cup(live, garnets={"Ann": 5})


@pytest.fixture(scope="module")
def played(spring: LiveCup) -> LiveMatch:
    """A match of Ann and Ben that counts, moderated by Mo."""
    match = spring.played()
    spring.give(match)
    return match


def with_garnets(live: Live) -> tuple[LiveCup, LiveMatch]:
    """A tournament in which Ann has brought two garnets into a match of four, and spent one."""
    names = ["Ann", "Ben", "Cy", "Di"]
    summer = cup(live, players=names, garnets={"Ann": 5})
    options = {"garnets": [2, 0, 0, 0]}
    match = summer.match(tuple(names), game="together", options=options)
    summer.give(match)
    assert match.moderator.start().status_code == 201
    paid = {"type": "submit", "round": 1, "a": [1], "b": [2, 2, 3], "pay_garnet": True}
    assert match.seats[0].act(paid).status_code == 201
    while match.moderator.client.post(f"{match.anyone.path}/close-phase").status_code == 201:
        pass
    summer.counted(match)
    return summer, match


# What must be shown: rulings, section 3, `correct`.


def test_a_player_is_shown_the_reversal_in_their_own_numbers(live: Live) -> None:
    summer, match = with_garnets(live)
    summer.post("garnets", {"player": 1, "amount": 2, "reason": "a prize"})
    seconded(summer.by(summer.moderator()), ruled(summer.by(), **correction(match, None))["ruling"])
    postings = summer.ledger(summer.player(0)).json()["postings"]
    first = {p["reverses"]: postings[p["reverses"] - 1] for p in postings if p["reverses"]}
    assert [p["reason"] for p in first.values()] == ["kept", "spent", "earned"]
    assert [p["seq"] for p in first.values()] == list(first)
    assert summer.ledger(summer.player(1)).json()["postings"][-1]["reason"] == "a prize"


# Who rules.


def test_a_moderator_of_another_match_cannot_tell_whether_it_is_pending(
    spring: LiveCup, played: LiveMatch
) -> None:
    other = spring.match(("Ann", "Ben"))
    spring.give(other, 1)
    ruling = ruled(spring.by(), **correction(played, LOST))["ruling"]
    for client in (other.moderator.client, spring.moderator(1)):
        for known in (ruling, str(uuid4())):
            assert_problem(second(spring.by(client), known, preview=True), 404, "no_such_ruling")
            assert_problem(withdraw(spring.by(client), known), 404, "no_such_ruling")
        assert all(one["status"] == "carried_out" for one in listed(spring.by(client)))
    withdraw(spring.by(spring.moderator()), ruling)


@pytest.mark.parametrize(
    ("result", "counts"),
    [(LOST, "counts differently, by a ruling: Ben wins"), (None, "does not count, by a ruling.")],
)
def test_the_pages_of_a_match_say_how_it_counts_by_a_ruling(
    live: Live, result: Json | None, counts: str
) -> None:
    cup_of_two = cup(live)
    match = cup_of_two.match(("Ann", "Ben"), rulings="single")
    assert match.moderator.start().status_code == 201
    ann_wins = {"winners": [0], "losers": [1], "shared": False, "scores": [2, 1]}
    ruled(match.moderator, "result", result=ann_wins, because="adjudicated")
    cup_of_two.counted(match)
    counts = f">In its tournament this match {counts}"
    assert counts not in page_of(live, f"/m/{match.id}")
    for path in ("/", f"/m/{match.id}"):
        assert "Ann wins (by a ruling)" in " ".join(page_of(live, path).split())
    before = live.anyone.get(f"/v1/matches/{match.id}")
    assert before.json()["corrected"] is None
    ruled(cup_of_two.by(), **correction(match, result))
    for path in ("/", f"/m/{match.id}"):
        assert counts in page_of(live, path)
    (row,) = live.anyone.get("/v1/matches", tournament=cup_of_two.id).json()["matches"]
    known = live.anyone.get(f"/v1/matches/{match.id}", {"If-None-Match": before.headers["ETag"]})
    for shown in (row, known.json()):
        assert (shown["result"], shown["corrected"]) == (ann_wins, {"result": result})


def test_a_void_match_that_counts_by_a_ruling_says_so(live: Live) -> None:
    cup_of_two = cup(live)
    match = cup_of_two.match(("Ann", "Ben"), rulings="single")
    ruled(match.moderator, "void")
    corrected = correction(match, LOST)
    wait_until(lambda: rule(cup_of_two.by(), **corrected, preview=True).status_code == 200)
    ruled(cup_of_two.by(), **corrected)
    assert "this match counts differently, by a ruling: Ben wins</p>" in page_of(
        live, f"/m/{match.id}"
    )
    row = live.anyone.get(f"/v1/matches/{match.id}").json()
    assert (row["status"], row["corrected"]) == ("void", {"result": LOST})


def page_of(live: Live, path: str) -> str:
    return unescape(live.anyone.get(path, {"Accept-Language": "en"}).text)


# What is refused.


def test_a_match_of_another_tournament_is_not_corrected(live: Live, played: LiveMatch) -> None:
    answer = rule(cup(live).by(), **correction(played, None), preview=True)
    assert_problem(answer, 404, "no_such_tournament_match")
    nowhere = live.organiser.post(f"/v1/tournaments/{uuid4()}/rulings", {})
    assert_problem(nowhere, 404, "no_such_tournament")


# Who sees what.


def test_pending_rulings_are_for_organisers_and_moderators_of_the_match(live: Live) -> None:
    autumn = cup(live)
    match = autumn.played()
    autumn.give(match)
    pending = ruled(autumn.by(), **correction(match, LOST), rule="7.2")
    insiders = (live.organiser, autumn.moderator(), match.moderator.client)
    others = (live.anyone, autumn.player(0), autumn.moderator(1), match.seats[0].client)
    for client in insiders:
        (shown,) = listed(autumn.by(client))
        assert (shown["ruling"], shown["status"]) == (pending["ruling"], "pending")
        assert (shown["result"], shown["by"], shown["rule"]) == (LOST, [None], "7.2")
    for client in others:
        assert listed(autumn.by(client)) == []
    seconded(autumn.by(autumn.moderator()), pending["ruling"])
    for client in insiders:
        (shown,) = listed(autumn.by(client))
        assert (shown["n"], shown["status"], shown["by"]) == (1, "carried_out", [None, "Mo"])
        assert shown["proposed"] < shown["at"] and "lapses" not in shown
    for client in others:
        (shown,) = listed(autumn.by(client))
        assert shown == {
            "ruling": None, "n": 1, "kind": "correct", "match": match.id, "result": LOST,
            "status": "carried_out", "at": shown["at"], "reason": WHY, "rule": "7.2",
            "appeals": None, "effects": [
                {"type": "tournament.match-corrected.1",
                 "data": {"match": match.id, "result": LOST}}
            ],
        }  # fmt: skip
