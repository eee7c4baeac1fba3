"""A match replayed from its record, by the rules to which it is pinned."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from domain.chance import generator
from domain.events import Event, Numbered, Record, numbered
from domain.games import rules_of
from domain.match.commands import Command
from domain.match.events import ActionReceived, MatchCreated
from domain.match.fold import fold
from domain.match.live import undoes, undone
from domain.match.recorded import add_records
from domain.match.state import AnyGame, Match, create
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


def replay(match_id: str, records: Sequence[Record[Event]]) -> tuple[AnyGame, Match]:
    """The rules and the state of a match after its whole record."""
    created = records[0].event
    assert isinstance(created, MatchCreated), "a record begins with match.created.1"
    game, match = created_match(match_id, created)
    return game, fold_live(game, match, records, undone(numbered(records), game.sealed_phase))


def continued(game: AnyGame, match: Match, records: Sequence[Record[Event]]) -> Match:
    """The match after its next records, none of which undoes an earlier one."""
    after = fold(game, match, [record.event for record in records])
    return replace(after, recorded=add_records(after.recorded, records))


def fold_live(
    game: AnyGame, created: Match, records: Sequence[Record[Event]], undone_by: Mapping[int, int]
) -> Match:
    """The match after its whole record without what is undone (`live.undone`)."""
    live_records = [record for number, record in enumerate(records, 1) if number not in undone_by]
    match = continued(game, created, live_records)
    if not undone_by:
        return match
    # What a seat has put on the record stays there.
    whole = add_records(created.recorded, records)
    on_record = replace(match.recorded, sizes=whole.sizes, cause=whole.cause)
    actions = tuple(_undone_actions(numbered(records), undone_by))
    return replace(match, recorded=on_record, undone=actions)


def _undone_actions(
    numbered: Sequence[Numbered], undone_by: Mapping[int, int]
) -> Iterator[tuple[int, str]]:
    """The undone actions with a key that were not judged again, and the rulings that undid them; a
    ruling behind the record has no id yet."""
    again = {
        entry.event.of
        for entry in numbered
        if entry.number not in undone_by and isinstance(entry.event, SeatReapplied | ActionAdmitted)
    }
    rulings = dict(_rulings_at(numbered))
    for entry in numbered:
        keyed = isinstance(entry.event, ActionReceived) and entry.event.key is not None
        if keyed and entry.number in undone_by and entry.number not in again:
            yield entry.number, rulings.get(undone_by[entry.number], "")


def _rulings_at(numbered: Sequence[Numbered]) -> Iterator[tuple[int, str]]:
    """The id of the ruling by which each event undoes something."""
    ruling_ids = {
        entry.cause: entry.event.id for entry in numbered if isinstance(entry.event, RulingOrdered)
    }
    for entry in numbered:
        if isinstance(entry.event, MatchRewound | ActionStruck):
            yield entry.number, ruling_ids.get(entry.cause, "")


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
