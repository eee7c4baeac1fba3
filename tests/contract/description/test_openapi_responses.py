"""Answers are as the OpenAPI description says."""

from itertools import product
from typing import Any

import jsonschema_rs
import pytest

from domain.games import GAMES
from tests.support.games import fewest
from tests.support.http.match_play import PROBLEM, awaited, outcome
from tests.support.http.openapi_document import check, operations, resolved
from tests.support.servers.live_server import NDJSON, SSE, Json, Live, LiveMatch

MOST_TURNS = 45
"""A match of Dollar Prize shows nothing new after these."""


@pytest.mark.parametrize("game", GAMES)
def test_every_answer_of_a_match_is_as_documented(live: Live, document: Json, game: str) -> None:
    options = {"tokens_to_win": 1} if game == "twelve-chips" else {}
    match = live.create(game, fewest(game), chance="manual", options=options)
    read_all(document, match)
    check(document, "startMatch", match.moderator.start())
    turns = 0
    while (seen := match.moderator.view().json())["status"] == "running" and turns < MOST_TURNS:
        turns += 1
        play_one(document, match, seen)
        if turns % 15 == 1:
            read_all(document, match)
    read_all(document, match)
    assert turns > 10 or seen["status"] == "ended"


def play_one(document: Json, match: LiveMatch, seen: Json) -> None:
    draw = seen["awaiting"]["draw"]
    if draw is not None:
        answer = match.moderator.draw(draw["id"], outcome(draw["parts"]))
        check(document, "enterDraw", answer)
        return
    seat = awaited(match, seen)
    entries = seat.menu().json()["actions"]
    action = dict(entries[0]["examples"][-1])
    for name, schema in entries[0]["schema"]["properties"].items() if entries[0]["exact"] else ():
        action[name] = schema["enum"][-1] if "enum" in schema else action[name]
    check(document, "act", seat.act(action))
    check(document, "act", match.seats[0].act({"type": "keep"}))


def read_all(document: Json, match: LiveMatch) -> None:
    players = (match.anyone, match.moderator, match.seats[0], match.organiser)
    for player, audience in product(players, (None, "public", "seat:0", "moderator", "x")):
        check(document, "viewMatch", player.view(audience))
        check(document, "listEvents", player.events(audience, limit=7))
    for player in players:
        check(document, "viewMatch", player.view(None, 0))
        check(document, "viewMatch", player.view(None, 99_999))
        check(document, "listActions", player.menu())
        check(document, "closePhase", player.close_phase())
        check(document, "enterDraw", player.draw("x", []))


def test_games_and_the_list_are_as_documented(
    live: Live, document: Json, played: LiveMatch
) -> None:
    check(document, "listGames", live.anyone.get("/v1/games"))
    for game in (*GAMES, "chess"):
        check(document, "showGame", live.anyone.get(f"/v1/games/{game}"))
    check(document, "listMatches", live.anyone.get("/v1/matches"))
    check(document, "listMatches", live.anyone.get("/v1/matches", limit=0))
    assert played.id


@pytest.mark.parametrize("form", [SSE, NDJSON])
def test_errors_of_a_stream_are_as_documented(
    document: Json, played_closed: LiveMatch, form: str
) -> None:
    queries: list[dict[str, Any]] = [{"as_": "moderator"}, {"as_": "x"}, {"after": 9_999}]
    for query in queries:
        answer = played_closed.anyone.try_stream({"Accept": form}, **query)
        check(document, "streamEvents", answer)


def test_the_check_detects_undocumented_answers(live: Live, document: Json) -> None:
    with pytest.raises(AssertionError, match="does not document"):
        check(document, "listGames", live.anyone.get("/v1/games/chess"))
    with pytest.raises(jsonschema_rs.ValidationError):
        check(document, "listGames", live.anyone.get("/v1/matches"))
    assert PROBLEM in resolved(document, "#/paths/~1v1~1matches/post/responses/401")["content"]
    assert len(list(operations(document))) >= 12
