"""A match replayed from its record, by the rules to which it is pinned."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from domain.chance import generator
from domain.events import Event, Numbered, Record, numbered
from domain.games import rules_of
from domain.match.commands import Command
from domain.match.events import ActionReceived, MatchCreated
from domain.match.live import undoes, undone
from domain.match.recorded import counted
from domain.match.state import AnyGame, Match, create, fold
from domain.rulings.commands import LooksBack
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    MatchRewound,
    RulingOrdered,
    SeatReapplied,
)


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
    return game, fold_live(game, match, records, undone(numbered(records), game.sealed_phase))


def continued(game: AnyGame, match: Match, records: Sequence[Record[Event]]) -> Match:
    """The match after its next records, none of which undoes an earlier one."""
    after = fold(game, match, [record.event for record in records])
    return replace(after, recorded=counted(after.recorded, records))


def fold_live(
    game: AnyGame, created: Match, records: Sequence[Record[Event]], gone: Mapping[int, int]
) -> Match:
    """The match after its whole record without what is `gone` (`live.undone`)."""
    left = [record for number, record in enumerate(records, 1) if number not in gone]
    match = continued(game, created, left)
    if not gone:
        return match
    # What a seat has put on the record stays there.
    whole = counted(created.recorded, records)
    recorded = replace(match.recorded, sizes=whole.sizes, cause=whole.cause)
    actions = tuple(_undone_actions(numbered(records), gone))
    return replace(match, recorded=recorded, undone=actions)


def _undone_actions(
    numbered: Sequence[Numbered], gone: Mapping[int, int]
) -> Iterator[tuple[int, str]]:
    """The undone actions with a key that were not judged again, and the rulings that undid them; a
    ruling behind the record has no id yet."""
    again = {
        one.event.of
        for one in numbered
        if one.number not in gone and isinstance(one.event, SeatReapplied | ActionAdmitted)
    }
    rulings = dict(_rulings_at(numbered))
    for one in numbered:
        keyed = isinstance(one.event, ActionReceived) and one.event.key is not None
        if keyed and one.number in gone and one.number not in again:
            yield one.number, rulings.get(gone[one.number], "")


def _rulings_at(numbered: Sequence[Numbered]) -> Iterator[tuple[int, str]]:
    """The id of the ruling by which each event undoes something."""
    ordered = {one.cause: one.event.id for one in numbered if isinstance(one.event, RulingOrdered)}
    for one in numbered:
        if isinstance(one.event, MatchRewound | ActionStruck):
            yield one.number, ordered.get(one.cause, "")


def after_command(game: AnyGame, match: Match, command: Command, events: Sequence[Event]) -> Match:
    """The match after a command that has given these events. What undoes something is folded from
    what it leaves."""
    if not isinstance(command, LooksBack) or command.past is None or not undoes(events):
        return fold(game, match, events)
    base: Match = command.past.base
    actions = tuple((number, ruling or command.id) for number, ruling in base.undone)
    return fold(game, replace(base, undone=actions), events)


def draw_name(match: Match, draw_id: str) -> str:
    """The name of a draw in its match: an id is unique in its epoch."""
    return generator.draw_name(0 if match.epoch is None else match.epoch.committed.epoch, draw_id)
