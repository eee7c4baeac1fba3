"""Liar's Dice over HTTP: dice from the service and from a real table, and who sees them."""

from typing import Any

import pytest

from tests.support.servers.live_server import Live, LiveMatch

NAMES = ("Ann", "Ben", "Cy")
HIDDEN = {"id": None, "parts": None}
HANDS = [[1, 6], [2, 5], [3, 3]]


@pytest.fixture
def rolling(live: Live) -> LiveMatch:
    """A match of three with two dice each, which a moderator rolls."""
    options = {"dice": 2, "exact_call": True}
    return live.started("liars-dice", NAMES, chance="manual", options=options)


def views(match: LiveMatch) -> dict[str, Any]:
    return {name: player.view().json() for name, player in match.audiences().items()}


def test_a_moderator_is_asked_for_each_roll_in_turn(rolling: LiveMatch) -> None:
    for seat in range(3):
        parts = [{"kind": "roll", "sides": 6, "label": f"die {n}"} for n in (1, 2)]
        draws = {name: view["awaiting"]["draw"] for name, view in views(rolling).items()}
        assert draws.pop("moderator") == {"id": f"round1/roll/{seat}", "parts": parts}
        assert list(draws.values()) == [HIDDEN] * 4
        rolling.moderator.draw(f"round1/roll/{seat}", HANDS[seat])
    assert rolling.anyone.view().json()["awaiting"] == {
        "seats": [0],
        "draw": None,
        "deadline": None,
    }
