"""Notices as messages for people: a title and a text, made from what is sent to webhooks alone."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from domain.games import GAMES
from service.notices.announcement import unbound

MAX_TITLE = 80
"""Maximum characters of the names in a title."""


class Message(NamedTuple):
    """What a person reads."""

    title: str
    text: str


def message_of(notice: str, body: bytes) -> Message:
    """The message of the notice with this id. The id stands in it, so that a person who gets it
    twice knows."""
    told = msgspec.json.decode(body)
    kind, data = str(told["type"]), told["data"]
    of_match = kind.startswith("match.")
    title = _match(data) if of_match else "Tournament"
    text = _of_match(kind, data) if of_match else f"{kind.partition('.')[2].replace('_', ' ')}."
    subject = f"Match {data['match']}" if of_match else f"Tournament {data['tournament']}"
    return Message(unbound(title), unbound(f"{text}\n\n{subject}\nNotice {notice}"))


def _match(data: Mapping[str, Any]) -> str:
    return f"{_players(data['seats'])} ({GAMES[data['game']].title})"


def _players(seats: Sequence[str]) -> str:
    """The names, the first of them and how many more there are, or the beginning of one."""
    names = ", ".join(seats)
    if len(names) > MAX_TITLE:
        first = seats[0] if len(seats[0]) <= MAX_TITLE // 2 else f"{seats[0][: MAX_TITLE // 2]}…"
        names = f"{first} and {len(seats) - 1} others" if len(seats) > 1 else first
    return names


def _of_match(kind: str, data: Mapping[str, Any]) -> str:
    match kind:
        case "match.started":
            return "The match has started."
        case "match.awaiting":
            return f"The match waits for {_awaited(data)}."
        case "match.reminder":
            return f"A deadline comes near: the match waits for {_awaited(data)}."
        case "match.ruling":
            ruling = data["ruling"]
            return f"Ruling {ruling['n']}, {ruling['kind']}: {ruling['reason']}"
        case _:
            return _ended(data)


def _awaited(data: Mapping[str, Any]) -> str:
    awaiting = data["awaiting"]
    who = _names(data, awaiting["seats"]) or "a draw"
    return who if awaiting["deadline"] is None else f"{who} until {awaiting['deadline']}"


def _ended(data: Mapping[str, Any]) -> str:
    result = data["result"]
    if data["status"] == "void" or result is None:
        return "The match is void."
    won = "shared by" if result["shared"] else "won by"
    final = "" if result.get("final", True) else " The result is provisional."
    return f"The match is over, {won} {_names(data, result['winners']) or 'nobody'}.{final}"


def _names(data: Mapping[str, Any], seats: Sequence[int]) -> str:
    return " and ".join(data["seats"][seat] for seat in seats)
