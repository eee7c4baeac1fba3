"""A match that has just been created is the one that its record gives."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
import pytest

from domain.commands import ClosePhase, Command, Conflict, Start
from domain.events import Event
from domain.games import GAMES
from domain.match import decide
from domain.match_state import AnyGame, Match
from projections import menu
from projections.disclosure import MODERATOR, PUBLIC_VIEWER
from service.arbiter import Arbiter
from service.door.open_match import folded
from tests.clock import NOON
from tests.service.instance import on_record, seen, sends, tried

PAIR = ("Ann", "Ben")
SEATS = {"together": (*PAIR, "Cy", "Di", "Eve")}
STEPS = 4

PARTIAL: list[tuple[str, dict[str, Any]]] = [
    *((game, {}) for game in GAMES),
    ("dollar-prize", {"first_player": 1, "turn_seconds": 60}),
    ("twelve-chips", {"first_starter": 1, "hand_colours_public": True}),
    ("together", {"start_tokens": {"A": 3}, "vote_hours": 7}),
    ("together", {"garnets": [1, 2, 3, 4, 5]}),
    ("grouping-bw", {"chips": [7, 9]}),
    ("grouping-bw", {"variant": "final-match-2", "items": [["order"], ["bonus"]]}),
]
"""Options as they may be given: the others follow the game, its variant or the number of seats."""


@pytest.mark.parametrize(("game", "options"), PARTIAL)
async def test_who_creates_a_match_has_it_as_whoever_reads_it(
    arbiter: Arbiter, game: str, options: dict[str, Any]
) -> None:
    names = SEATS.get(game, PAIR)
    made = await arbiter.creation.match(game, names, options, "server", "rules", None)
    await check(arbiter, made.id)
    await arbiter.matches.enter(made.id, Start(), MODERATOR)
    for _ in range(STEPS):
        await check(arbiter, made.id)
        assert await tried(arbiter, made.id) is not None
    await check(arbiter, made.id)


async def check(arbiter: Arbiter, match_id: UUID) -> None:
    """In memory are the state that the record gives, what is decided on it, and each view."""
    opened, records = await arbiter.open_matches.opened(match_id), on_record(arbiter, match_id)
    game, match = folded(str(match_id), records)
    assert opened.game is game and opened.match is not None
    for command in commands(game, match):
        assert decided(game, opened.match, command) == decided(game, match, command)
    for viewer in (PUBLIC_VIEWER, MODERATOR, *range(len(match.created.seats))):
        _, view = await arbiter.open_matches.view(match_id, viewer, None)
        assert view == seen(records, match_id, game.id, viewer)
    assert opened.match == match


def commands(game: AnyGame, match: Match) -> Iterator[Command]:
    """What may come next: the start, the first action on each menu, the end of the phase."""
    yield Start()
    yield ClosePhase(match.awaiting.phase)
    if match.status == "running":
        for seat in range(len(match.created.seats)):
            for entry in menu.answer(game.legal(match.game, seat)).actions[:1]:
                yield sends(seat, msgspec.convert(entry.examples[0], game.Action))


def decided(game: AnyGame, match: Match, command: Command) -> list[Event] | str:
    try:
        return decide(game, match, command, NOON)
    except Conflict as conflict:
        return conflict.code
