"""Plays a match over HTTP, and checks what all answers of a kind have in common."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import httpx

from tests.support.servers.live_server import Json, Live, LiveMatch, Player

LONGEST_STREAM = 5_000

PROBLEM = "application/problem+json"


def assert_problem(answer: httpx.Response, status: int, code: str) -> Json:
    """The answer is a problem document (RFC 9457) with this status and code."""
    assert (answer.status_code, answer.text and answer.json().get("code")) == (status, code), (
        answer.text
    )
    return problem_of(answer)


def problem_of(answer: httpx.Response) -> Json:
    """The problem document of an error, whichever it is."""
    assert answer.headers["content-type"].split(";")[0] == PROBLEM, answer.text
    document: Json = answer.json()
    assert {"type", "title", "status", "code"} <= set(document)
    assert document["status"] == answer.status_code
    assert all(isinstance(document[name], str) and document[name] for name in ("type", "title"))
    code = document["code"]
    assert code == code.lower()
    assert code.replace("_", "").isalnum()
    return document


def counts(answer: httpx.Response) -> bool:
    """Whether the submission is on record and counts; if not, it was refused or is invalid."""
    assert answer.status_code in (201, 422), answer.text
    valid: bool = answer.json()["receipt"]["valid"]
    assert valid == (answer.json()["receipt"]["code"] is None)
    assert valid or answer.status_code == 201 or answer.json()["code"]
    return answer.status_code == 201 and valid


def outcome(parts: Iterable[Json]) -> list[Any]:
    """An answer by hand to the parts of a draw: every coin tails, every shuffle unchanged, every
    die on its last side."""
    return [_fallen(part) for part in parts]


def _fallen(part: Json) -> Any:
    return {"flip": "tails", "shuffle": part.get("items"), "roll": part.get("sides")}[part["kind"]]


def step(match: LiveMatch) -> Json | None:
    """Does one thing that the match waits for: enters a draw, or sends the last action of the menu.

    Returns the moderator's view after it, or None when the match is over.
    """
    seen = match.moderator.view().json()
    if seen["status"] != "running":
        return None
    draw = seen["awaiting"]["draw"]
    if draw is not None:
        answer = match.moderator.draw(draw["id"], outcome(draw["parts"]))
    else:
        player = awaited(match, seen)
        answer = player.act(eager(player))
    assert answer.status_code == 201, answer.text
    after: Json = match.moderator.view().json()
    return after


def awaited(match: LiveMatch, seen: Json) -> Player:
    """The first seat that the match waits for and that may act."""
    waited: list[Player] = [match.seats[seat] for seat in seen["awaiting"]["seats"]]
    return next(player for player in waited if player.menu().json()["actions"])


def eager(player: Player) -> Json:
    """Any conversion if there is one, else the last value of the last entry of the menu."""
    entries = player.menu().json()["actions"]
    by_type = {entry["type"]: entry for entry in entries}
    entry = by_type.get("convert") or by_type.get("place") or entries[-1]
    action: Json = dict(entry["examples"][-1])
    if entry["exact"]:
        for name, field in entry["schema"]["properties"].items():
            if "enum" in field:
                action[name] = field["enum"][-1]
    return action


def play_out(match: LiveMatch, most: int = 2_000) -> Json:
    """Plays a match to its end by its menus and returns the moderator's last view."""
    for _ in range(most):
        if step(match) is None:
            last: Json = match.moderator.view().json()
            return last
    raise AssertionError(f"not over after {most} steps")


def status(match: LiveMatch) -> str:
    shown: str = match.anyone.view().json()["status"]
    return shown


def all_events(player: Player, as_: str | None = None) -> list[Json]:
    """All events of an audience so far, page by page."""
    events: list[Json] = []
    after: int | None = 0
    while after is not None:
        page = player.events(as_, after, 1_000).json()
        events += page["events"]
        after = page["next"]
    return events


def ndjson(response: httpx.Response) -> Iterator[Json]:
    """The lines of an open stream, without its pings and its end."""
    ended = False
    for text in bounded(response):
        assert not ended or not text, "nothing follows the end"
        line = json.loads(text) if text else {}
        ended = ended or "end" in line
        if line and not ended:
            yield line


def sse(response: httpx.Response) -> Iterator[tuple[int, Json]]:
    """The events of an open stream of server-sent events, as the standard parses them, without its
    end."""
    last_id, data, kind = "", "", ""
    for text in bounded(response):
        if text == "":
            if data and not kind:
                yield int(last_id), json.loads(data)
            data, kind = "", ""
        elif text.startswith("id:"):
            last_id = text.removeprefix("id:").removeprefix(" ")
        elif text.startswith("data:"):
            data += text.removeprefix("data:").removeprefix(" ")
        elif text.startswith("event:"):
            kind = text.removeprefix("event:").removeprefix(" ")
        else:
            assert text.startswith((":", "retry:")), text


def bounded(response: httpx.Response) -> Iterator[str]:
    """The text of an open stream, line by line. A stream that repeats itself endlessly fails."""
    for n, text in enumerate(response.iter_lines()):
        assert n < LONGEST_STREAM, "the stream does not end"
        yield text


def side_chosen(live: Live) -> LiveMatch:
    """A match of Dollar Prize in which each reader counts the choice of a side otherwise: Ben has
    tried out of turn before, and Ann has chosen."""
    match = live.started("dollar-prize", rulings="single")
    match.seats[1].act({"type": "end_turn"})
    assert match.seats[0].act({"type": "choose_side", "side": "heads"}).status_code == 201
    return match
