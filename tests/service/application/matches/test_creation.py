"""A match that has just been created equals the one read from its record."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
import pytest

from domain.events import Event
from domain.games import GAMES
from domain.match.commands import Command, Conflict
from domain.match.decide import decide
from domain.match.replay import replay
from domain.match.state import AnyGame, Match
from projections.audience import menu
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from service.application.matches.creation import NewMatch
from service.instance import Instance
from tests.support.games import usual, variety
from tests.support.instance.service_instance import on_record, seen, sends, tried
from tests.support.instants import NOON
from tests.support.tables.directing import START, close_phase

STEPS = 4

PARTIAL: list[tuple[str, dict[str, Any]]] = [
    *((game, options) for game in GAMES for options in ({}, *variety(game)[1:])),
    ("dollar-prize", {"first_player": 1, "turn_seconds": 60}),
    ("twelve-chips", {"first_starter": 1, "hand_colours_public": True}),
    ("together", {"start_tokens": {"A": 3}, "vote_hours": 7}),
    ("together", {"garnets": [1, 2, 3, 4, 5, 6]}),
    ("grouping-bw", {"chips": [7, 9]}),
    ("grouping-bw", {"variant": "final-match-2", "items": [["order"], ["bonus"]]}),
]
"""Options as a client may give them; the others depend on the game, its variant or the number of
seats."""


@pytest.mark.parametrize(("game", "options"), PARTIAL)
async def test_the_creator_of_a_match_sees_it_as_every_reader_does(
    instance: Instance, game: str, options: dict[str, Any]
) -> None:
    names = usual(game)
    made = await instance.creation.match(NewMatch(game, names, options, "server", "rules", None))
    await check(instance, made.id)
    await instance.matches.execute(made.id, START, MODERATOR)
    for step in range(STEPS):
        await check(instance, made.id)
        if await tried(instance, made.id) is None:
            assert step > 0, "a match that is over at once"
            break
    await check(instance, made.id)


async def check(instance: Instance, match_id: UUID) -> None:
    """The match in memory equals the one from the record: its state, what it is decided on, and
    each view."""
    opened, records = await instance.sessions.current(match_id), on_record(instance, match_id)
    game, match = replay(str(match_id), records)
    assert opened.game is game and opened.match is not None
    for command in commands(game, match):
        assert decided(game, opened.match, command) == decided(game, match, command)
    for viewer in (PUBLIC_VIEWER, MODERATOR, *range(match.created.seats)):
        _, view = await instance.sessions.view(match_id, viewer, None)
        assert view == seen(records, match_id, game.id, viewer)
    assert opened.match == match


def commands(game: AnyGame, match: Match) -> Iterator[Command]:
    """The commands that may come next: the start, the first action on each menu, the end of the
    phase."""
    yield START
    yield close_phase(match.awaiting.phase)
    if match.status == "running":
        for seat in range(match.created.seats):
            for entry in menu.entries(game, game.legal(match.game, seat))[:1]:
                yield sends(seat, msgspec.convert(entry.examples[0], game.Action))


def decided(game: AnyGame, match: Match, command: Command) -> list[Event] | str:
    try:
        return decide(game, match, command, NOON)
    except Conflict as conflict:
        return conflict.code
