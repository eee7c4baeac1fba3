"""Provisional results: until the protest window ends, or the result is confirmed, nothing is
opened, revealed or paid; then all at once (rulings, section 5)."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from domain.match.deadlines import HOUR
from tests.support.http.match_play import all_events, assert_problem, play_out
from tests.support.http.ruling_client import EVEN, listed, rule, ruled, seconded
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.instants import SECOND
from tests.support.servers.live_server import NDJSON, Json, Live, LiveMatch
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import wait_until

HOURS = 2
RESULT: Json = {"result": EVEN, "because": "adjudicated"}
FOUR = ("Ann", "Ben", "Cy", "Di")


@pytest.fixture
def pass_hours(timed: Live, clock: VirtualClock) -> Callable[[int], None]:
    return lambda hours: timed.run(lambda: clock.pass_time(hours * HOUR))


def ended(live: Live, chance: str, **more: Any) -> LiveMatch:
    """A match that was played to its end; its result is provisional."""
    options = {"tokens_to_win": 1}
    match = live.started(
        "twelve-chips", chance=chance, options=options, protest_hours=HOURS, **more
    )
    play_out(match)
    return match


def final(match: LiveMatch) -> bool | None:
    """Whether the result is final, as everyone is told; None where it says nothing of that."""
    result = match.anyone.view().json()["result"]
    return None if result is None else result.get("final")


def made_final(match: LiveMatch) -> None:
    """Returns when the result is final."""
    wait_until(lambda: final(match) is True, failure=lambda: "it is still provisional")


def told(stream: Iterator[str]) -> Iterator[Json]:
    """The lines of a stream, and its end."""
    return (json.loads(text) for text in stream if text)


def upto(lines: Iterator[Json], kind: str) -> Json:
    return next(line for line in lines if line.get("type") == kind)


def nothing_is_told(match: LiveMatch) -> None:
    """What is hidden while a match is running is hidden still."""
    for player in (match.anyone, match.seats[1]):
        assert_problem(player.view("seat:0"), 403, "not_allowed")
        assert_problem(player.events("moderator"), 403, "not_allowed")
        code = "key_missing" if player is match.anyone else "not_allowed"
        for what in ("bundle", "checkpoint"):
            answer = player.client.get(f"{player.path}/{what}")
            assert_problem(answer, 401 if player is match.anyone else 403, code)
    assert_problem(match.seats[0].client.get(f"{match.anyone.path}/reads"), 403, "not_allowed")
    for player in (match.moderator, *match.seats):
        types = {event["type"] for event in all_events(player)}
        assert not types & {"match.seed-revealed.1", "match.confirmed.1"}


def all_is_told(match: LiveMatch, chance: str) -> None:
    """The record is open, the seed revealed, each once."""
    types = [event["type"] for event in all_events(match.anyone, "moderator")]
    assert types.count("match.confirmed.1") == 1
    assert types.count("match.seed-revealed.1") == (chance == "server")
    for as_ in ("public", "seat:0", "moderator"):
        bundle = match.anyone.client.get(f"{match.anyone.path}/bundle", as_=as_)
        assert bundle.status_code == 200
    assert match.anyone.client.get(f"{match.anyone.path}/checkpoint").status_code == 200
    assert match.seats[0].client.get(f"{match.anyone.path}/reads").status_code == 200


@pytest.mark.parametrize("chance", ["server", "manual"])
def test_nothing_is_told_before_the_window_ends_and_then_everything_at_once(
    timed: Live, clock: VirtualClock, pass_hours: Callable[[int], None], chance: str
) -> None:
    until = datetime.fromtimestamp((clock.now() + HOURS * HOUR) // SECOND, UTC)
    match = ended(timed, chance)
    nothing_is_told(match)
    view = match.anyone.view().json()
    assert (view["status"], view["awaiting"]["seats"], final(match)) == ("ended", [], False)
    with match.seats[0].stream({"Accept": NDJSON}, after=0) as stream:
        lines = told(stream.iter_lines())
        end = upto(lines, "match.ended.1")
        assert datetime.fromisoformat(end["data"]["protests_until"]) == until
        pass_hours(1)
        nothing_is_told(match)
        pass_hours(1)
        kinds = [line.get("type", "end") for line in lines]
    revealed = ["match.seed-revealed.1"] if chance == "server" else []
    assert kinds == ["match.confirmed.1", *revealed, "end"]
    made_final(match)
    all_is_told(match, chance)
    seq = match.seats[0].view().json()["seq"]
    assert match.seats[0].try_stream(after=seq).status_code == 204
    confirmed = all_events(match.anyone)[-1 - len(revealed)]
    assert datetime.fromisoformat(confirmed["at"]) == until
    assert match.seats[0].view(at=end["seq"]).json()["result"]["final"] is False


def test_an_organiser_confirms_a_result_once(timed: Live) -> None:
    match = ended(timed, "server")
    assert_problem(rule(match.moderator, "confirm"), 403, "not_allowed")
    assert_problem(rule(match.seats[0], "confirm"), 403, "not_allowed")
    preview = rule(match.organiser, "confirm", preview=True).json()
    assert [preview[when]["result"]["final"] for when in ("before", "after")] == [False, True]
    assert final(match) is False
    key = {"Idempotency-Key": "confirm-1"}
    first, again = (rule(match.organiser, "confirm", key) for _ in range(2))
    assert first.status_code == 201 and first.json() == again.json()
    assert final(match) is True
    all_is_told(match, "server")
    (shown,) = listed(match.anyone)
    assert (shown["kind"], [one["type"] for one in shown["effects"]]) == (
        "confirm",
        ["match.confirmed.1"],
    )
    for kind in ("confirm", "void", "pause"):
        assert_problem(rule(match.organiser, kind, preview=True), 409, "result_final")
    running = timed.started("twelve-chips", protest_hours=HOURS)
    assert_problem(rule(running.organiser, "confirm"), 409, "match_not_ended")


def test_in_a_game_of_bluff_receipts_are_opened_when_the_result_is_final(timed: Live) -> None:
    bluff = timed.started("grouping-bw", chance="manual", protest_hours=HOURS)
    bluff.seats[0].act({"type": "fold"})
    pending = ruled(bluff.moderator, "result", **RESULT)
    assert seconded(bluff.judge, pending["ruling"]).status_code == 201
    salts = []
    for _ in range(2):
        (receipt,) = bluff.seats[0].client.get(f"{bluff.anyone.path}/receipts").json()["receipts"]
        salts.append(receipt["salt"])
        rule(bluff.organiser, "confirm")
    assert salts[0] is None and salts[1] is not None


# In a tournament.


def books(spring: LiveCup) -> tuple[Json, list[Json], list[Json | None]]:
    """What a tournament says of stakes, standings and results."""
    shown = spring.shown()
    return spring.ledger().json(), shown["standings"], [row["result"] for row in shown["matches"]]


def test_a_tournament_is_paid_once_when_the_result_is_final(
    timed: Live, pass_hours: Callable[[int], None]
) -> None:
    spring = cup(timed, players=list(FOUR), garnets={"Ann": 5, "Cy": 1})
    match = spring.match(
        FOUR, game="together", options={"garnets": [2, 0, 1, 0]}, protest_hours=HOURS
    )
    assert match.moderator.start().status_code == 201
    before = books(spring)
    pending = ruled(match.moderator, "result", **RESULT | {"result": _won(0)})
    assert seconded(match.judge, pending["ruling"]).status_code == 201
    pass_hours(1)
    assert books(spring) == before
    pass_hours(1)
    spring.counted(match)
    ledger, standings, results = books(spring)
    assert results == [_won(0)] and [row["played"] for row in standings] == [1] * 4
    kept = [one["amount"] for one in ledger["postings"] if one["reason"] == "kept"]
    assert sorted(kept) == [1, 2]
    assert sum(one["garnets"] for one in ledger["balances"]) == 0


def _won(winner: int) -> Json:
    losers = [seat for seat in range(4) if seat != winner]
    return {"winners": [winner], "losers": losers, "shared": False, "scores": [1, 0, 0, 0]}
