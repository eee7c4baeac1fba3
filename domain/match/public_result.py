"""The result of a match by its public events alone, for readers to whom others are sealed."""

from collections.abc import Iterator, Sequence

import msgspec

from domain.events import Event, Numbered
from domain.game import Result
from domain.games import rules_of
from domain.match.events import MatchCreated, MatchEnded
from domain.match.fold import fold
from domain.match.live import live
from domain.match.state import AnyGame, Match
from domain.proof.rejudging import created_match

SEATS = ("seat", "giver", "receiver", "starter", "winner", "folder")
"""The fields of public events that name a seat, in games with `public_result`."""


class Unfit(Exception):
    """The public events cannot be those of a match; says why."""


def public_state(match_id: str, public: Sequence[Numbered]) -> tuple[AnyGame, Match]:
    """The game, and the match at its end, as the public events of it give them. Raises as
    `public_result` does."""
    created = public[0].event
    assert isinstance(created, MatchCreated), "a record begins with match.created.1"
    game = rules_of(created)
    match = created_match(game, match_id, created)
    ends = [n for n, entry in enumerate(public) if isinstance(entry.event, MatchEnded)]
    _created, *events = live(public[: ends[-1] if ends else None], game.sealed_phase)
    for event in events:
        if isinstance(event, game.Event):
            _check(event, created.seats, started=match.game is not None)
        match = fold(game, match, (event,))
    return game, match


def public_result(match_id: str, public: Sequence[Numbered]) -> Result | None:
    """The result that the public events of a match, with their positions, give from its creation
    on, those that were undone aside; None if they do not end it. Of several ends, as a rewind
    after a provisional one gives, the last one counts. Whether they follow from the rules is not
    judged.

    The game must have `public_result`. Raises RecordDiffers if the rules do not allow such a
    match, KeyError for rules that are not here, Unfit for what no match can hold, and anything if
    the events do not fit together.
    """
    game, match = public_state(match_id, public)
    return game.result(match.game)


def _check(event: Event, seats: int, *, started: bool) -> None:
    """Raises Unfit for an event of the game that cannot be folded as its author meant it: Python
    would take a number below zero as a place from the end."""
    if not started:
        raise Unfit("the game goes on before the match has started")
    for name, number in _numbers("", msgspec.to_builtins(event)):
        if number < 0 or (name in SEATS and number >= seats):
            raise Unfit(f"a public event of the game has no such {name}: {number}")


def _numbers(name: str, value: object) -> Iterator[tuple[str, int]]:
    """Every number in a value, at any depth, with the name of its field."""
    if isinstance(value, int):
        yield name, value
    elif isinstance(value, dict):
        for inner_name, inner in value.items():
            yield from _numbers(inner_name, inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _numbers(name, inner)
