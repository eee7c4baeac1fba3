"""Together We Survive in a tournament: its garnets come from the ledger, and return to it."""

from tests.support.http.rule_answers import accepted_body, invalid, options_of, seen
from tests.support.http.together_client import GAME, close, play_round, submit, until_over
from tests.support.servers.live_server import Json, Live, LiveMatch

NAMES = [f"Player {seat}" for seat in range(8)]

ENOUGH = 500
"""How often the ledger is read to see whether the match has been settled."""


def cup(live: Live) -> str:
    """A tournament in which the first two players hold three garnets each."""
    body = {"name": "Cup", "players": NAMES, "garnets": {NAMES[0]: 3, NAMES[1]: 3}}
    answer = live.organiser.post("/v1/tournaments", body)
    assert answer.status_code == 201, answer.text
    tournament: str = answer.json()["id"]
    return tournament


def match_with_garnets(live: Live, tournament: str) -> LiveMatch:
    """A match into which seats 0 and 1 bring two garnets each."""
    options = {"garnets": [2, 2, 0, 0, 0, 0, 0, 0]}
    return live.started(GAME, NAMES, tournament=tournament, chance="manual", options=options)


def ledger(live: Live, tournament: str) -> Json:
    answer: Json = live.organiser.get(f"/v1/tournaments/{tournament}/ledger").json()
    return answer


def purses(live: Live, tournament: str) -> list[int]:
    """The garnets of each player, once none are in a match any more."""
    for _ in range(ENOUGH):
        balances = ledger(live, tournament)["balances"]
        if not any(row["garnets"] for row in balances if row["account"] == "match"):
            break
    garnets = {row["player"]: row["garnets"] for row in balances if row["account"] == "player"}
    return [garnets.get(player, 0) for player in range(len(NAMES))]


def test_options_garnets_come_from_the_tournaments_ledger(live: Live) -> None:
    tournament = cup(live)
    match = match_with_garnets(live, tournament)
    assert options_of(match)["garnets"] == [2, 2, 0, 0, 0, 0, 0, 0]
    rows = ledger(live, tournament)["balances"]
    garnets = [row["garnets"] for row in rows if row["account"] == "player"]
    assert garnets == [1, 1]


def test_options_nobody_brings_more_garnets_than_they_have(live: Live) -> None:
    options = {"garnets": [4, 0, 0, 0, 0, 0, 0, 0]}
    body = {"game": GAME, "seats": NAMES, "tournament": cup(live), "options": options}
    assert live.organiser.post("/v1/matches", body).status_code == 422


def test_end_5_garnets_are_paid_into_the_tournaments_ledger(live: Live) -> None:
    tournament = cup(live)
    match = match_with_garnets(live, tournament)
    accepted_body(submit(match, 0, a=[1], b=[4, 4, 5], pay_garnet=True))
    close(match)
    play_round(match, {0: [2]})
    play_round(match, {0: [3]})
    over = until_over(match)
    assert over["view"]["garnets_awarded"] == [3, 0, 1, 2, 0, 0, 0, 0]
    assert [seen(seat)["garnets"] for seat in match.seats[:2]] == [1, 2]
    assert purses(live, tournament) == [1 + 1 + 3, 1 + 2, 1, 2, 0, 0, 0, 0]


def test_end_5_garnets_earned_cannot_be_used_in_this_match(live: Live) -> None:
    match = match_with_garnets(live, cup(live))
    play_round(match, {0: [2]})
    invalid(submit(match, 2, a=[0], b=[4, 4, 5], pay_garnet=True), "no_garnet")


def test_end_5_the_ledger_shows_what_was_spent_and_what_was_earned(live: Live) -> None:
    """Seat 0 brings 2 garnets, spends 1 and is awarded 3."""
    tournament = cup(live)
    match = match_with_garnets(live, tournament)
    accepted_body(submit(match, 0, a=[1], b=[4, 4, 5], pay_garnet=True))
    close(match)
    play_round(match, {0: [2]})
    play_round(match, {0: [3]})
    assert until_over(match)["view"]["garnets_awarded"][0] == 3
    purses(live, tournament)
    rows = [row for row in ledger(live, tournament)["postings"] if row["player"] == 0]
    booked = {row["reason"]: row["amount"] for row in rows}
    assert booked == {"entered": 3, "brought": 2, "kept": 1, "spent": 1, "earned": 3}
