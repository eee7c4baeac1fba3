"""Sixteen players who all submit around a deadline, over sockets, by the machine's own clock."""

import threading
from collections.abc import Iterator
from datetime import datetime

import pytest

from tests.clock import Shifted
from tests.contract.playing import all_events
from tests.live import Json, Live, LiveMatch, serving

SEATS = 16
WINDOW = 150_000
"""Microseconds before and after the deadline in which everybody sends as fast as he can."""


@pytest.fixture(scope="module")
def ahead() -> Shifted:
    return Shifted()


@pytest.fixture(scope="module")
def punctual(tmp_path_factory: pytest.TempPathFactory, ahead: Shifted) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("punctual"), ahead) as live:
        yield live


def instant(text: str) -> int:
    since = datetime.fromisoformat(text) - datetime.fromisoformat("1970-01-01T00:00:00Z")
    return round(since.total_seconds() * 1_000_000)


def submit_all_along(match: LiveMatch, seat: int, ahead: Shifted, due: int) -> list[Json]:
    """The receipts of one seat, which says what it sends for which round."""
    votes, receipts = [SEATS - 1 - seat % 2] * 3, []
    while ahead.now() < due - WINDOW:
        pass
    while ahead.now() < due + WINDOW:
        answer = match.seats[seat].act({"type": "submit", "b": votes, "round": 1})
        assert answer.status_code == 201, answer.text
        receipts.append(answer.json()["receipt"])
    return receipts


def test_each_is_judged_by_when_it_came_and_the_round_ends_once(
    punctual: Live, ahead: Shifted
) -> None:
    names = [f"Seat {seat}" for seat in range(SEATS)]
    # Nobody votes anybody off the stage: the match goes on with a second round.
    options = {"b_self": True, "all_tied": "none_out"}
    match = punctual.started("together", names, clock="rules", options=options)
    due = instant(match.anyone.view().json()["awaiting"]["deadline"])
    punctual.run(lambda: ahead.go_to(due - 3 * WINDOW))
    receipts: dict[int, list[Json]] = {}

    def play(seat: int) -> None:
        receipts[seat] = submit_all_along(match, seat, ahead, due)

    players = [threading.Thread(target=play, args=(seat,)) for seat in range(SEATS)]
    for player in players:
        player.start()
    for player in players:
        player.join(30)

    every = [receipt for told in receipts.values() for receipt in told]
    assert len(receipts) == SEATS
    for receipt in every:
        late = instant(receipt["at"]) >= due
        assert (receipt["valid"], receipt["code"]) == (not late, "late" if late else None)
    assert {receipt["valid"] for receipt in every} == {True, False}
    events = all_events(match.moderator)
    kinds = [event["type"] for event in events]
    assert kinds.count("match.deadline-passed.1") == kinds.count("together.round-counted.1") == 1
    assert kinds.count("match.action-received.1") == len(every)
    submitted = {seat for seat, told in receipts.items() if told[0]["valid"]}
    counted = next(e["data"]["b"] for e in events if e["type"] == "together.round-counted.1")
    assert sum(counted) == 3 * len(submitted)
