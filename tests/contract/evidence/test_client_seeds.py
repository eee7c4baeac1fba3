"""`POST /v1/matches/{id}/client-seeds`, and the events of a match's chance over the wire."""

from base64 import b64decode

import pytest

from domain.chance import generator
from tests.support.http.match_play import all_events, assert_problem
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player


@pytest.fixture
def match(live: Live) -> LiveMatch:
    return live.create("dollar-prize")


def give(player: Player, seed: object) -> Answer:
    return player.client.post(f"{player.path}/client-seeds", {"seed": seed})


def of(match: LiveMatch, kind: str) -> list[Json]:
    return [e["data"] for e in all_events(match.anyone) if e["type"] == f"match.{kind}.1"]


def test_a_seat_gives_seeds_before_the_start_and_everybody_sees_them(match: LiveMatch) -> None:
    for seat, seed in ((0, "dice"), (1, "ünd"), (0, "more dice")):
        answer = give(match.seats[seat], seed)
        assert answer.status_code == 201
        assert answer.json()["receipt"]["valid"] is True
        assert answer.json()["view"]["audience"] == f"seat:{seat}"
    assert of(match, "client-seed-given")[-1] == {"seat": 0, "seed": "more dice"}
    match.organiser.start()
    (sealed,) = of(match, "seed-sealed")
    expected = generator.clients({0: b"more dice", 1: "ünd".encode()})
    assert b64decode(sealed["clients"]) == expected


@pytest.mark.parametrize("seed", ["", "x" * 65, "ü" * 33, 5, None, ["x"]])
def test_a_seed_is_1_to_64_bytes_of_text(match: LiveMatch, seed: object) -> None:
    assert_problem(give(match.seats[0], seed), 400, "wrong_shape")
    assert of(match, "client-seed-given") == []


@pytest.mark.parametrize("seed", ["x", "x" * 64, "ü" * 32, "\u0000 \n\u2028 🎲"])
def test_any_text_of_that_length_is_accepted(match: LiveMatch, seed: str) -> None:
    give(match.seats[0], seed)
    assert of(match, "client-seed-given") == [{"seat": 0, "seed": seed}]
