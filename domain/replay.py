"""A match replayed from its record, by the rules to which it is pinned."""

from collections.abc import Sequence

import msgspec

from domain.chance import generator
from domain.events import Event, Record
from domain.games import rules_of
from domain.match_events import MatchCreated
from domain.match_state import AnyGame, Match, create, fold


def created_match(match_id: str, created: MatchCreated) -> tuple[AnyGame, Match]:
    """The rules and the state of a match right after its creation. Its options are the complete
    ones on record. Raises KeyError for rules that are not here."""
    game = rules_of(created)
    return game, create(game, match_id, created, msgspec.convert(created.options, game.Options))


def replayed(match_id: str, records: Sequence[Record[Event]]) -> tuple[AnyGame, Match]:
    """The rules and the state of a match after its whole record."""
    created = records[0].event
    assert isinstance(created, MatchCreated), "a record begins with match.created.1"
    game, match = created_match(match_id, created)
    return game, fold(game, match, [record.event for record in records])


def draw_name(match: Match, draw_id: str) -> str:
    """The name of a draw in its match: an id is unique in its epoch."""
    return generator.draw_name(0 if match.epoch is None else match.epoch.committed.epoch, draw_id)
