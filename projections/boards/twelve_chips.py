"""The table of 12 Chips as one audience sees it."""

from bisect import insort
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.events import Event
from domain.game import Result
from domain.games.twelve_chips.chips import HAND, Chips, Colour, colour, removed, seated
from domain.games.twelve_chips.events import (
    ChipPlayed,
    ChipsSetAside,
    ChipTaken,
    ChipWon,
    DealCompleted,
    HandDealt,
    RoundBegan,
    RoundScored,
    TrickBegan,
    TrickWon,
)
from domain.games.twelve_chips.options import Options
from domain.match_events import MatchEnded
from projections.board import Boards
from projections.disclosure import MODERATOR, Viewer

Backs = tuple[Colour, ...]
T = TypeVar("T", int, Colour)


class Played(Struct, frozen=True):
    """A chip in the centre and the seat that played it."""

    seat: int
    chip: int


class LastRound(Struct, frozen=True):
    """The chips of the last round that was counted, sorted; their plain sums; the seats that got a
    token."""

    chips: tuple[Chips, ...]
    sums: tuple[int, ...]
    winners: tuple[int, ...]


class Board(Struct, frozen=True):
    """What is public, and what only this audience sees: a seat its `hand`, sorted, a moderator all
    `hands` and the chips set aside.

    `hand_colours` is there if the backs show them. While chips are dealt, `round`, `trick` and
    `starter` are the next ones and `to_act` is null.
    """

    round: int
    trick: int
    phase: Literal["deal", "play", "take", "over"]
    starter: int
    to_act: int | None
    centre: tuple[Played, ...]
    fronts: tuple[Chips, ...]
    hand_sizes: tuple[int, ...]
    tokens: tuple[int, ...]
    last_round: LastRound | None
    result: Result | None
    hand_colours: tuple[Backs, ...] | UnsetType = UNSET
    hand: Chips | UnsetType = UNSET
    hands: tuple[Chips, ...] | UnsetType = UNSET
    undealt: Chips | UnsetType = UNSET


def initial(options: Options, seats: int, viewer: Viewer) -> Board:
    none: tuple[tuple[Any, ...], ...] = ((),) * seats
    return Board(
        round=1,
        trick=1,
        phase="deal",
        starter=options.first_starter,
        to_act=None,
        centre=(),
        fronts=none,
        hand_sizes=(0,) * seats,
        tokens=(0,) * seats,
        last_round=None,
        result=None,
        hand_colours=none if options.hand_colours_public else UNSET,
        hand=() if isinstance(viewer, int) else UNSET,
        hands=none if viewer == MODERATOR else UNSET,
        undealt=() if viewer == MODERATOR else UNSET,
    )


def evolve(board: Board, event: Event, viewer: Viewer, at: int) -> Board:
    happened = _HAPPENED.get(type(event))
    return happened(board, event, viewer) if happened else board


def _round_began(board: Board, event: RoundBegan, viewer: Viewer) -> Board:
    none: tuple[tuple[Any, ...], ...] = ((),) * len(board.tokens)
    return replace(
        board,
        round=event.round,
        trick=1,
        phase="deal",
        starter=event.starter,
        to_act=None,
        fronts=none,
        hand_sizes=(0,) * len(board.tokens),
        hand_colours=UNSET if board.hand_colours is UNSET else none,
        hand=UNSET if board.hand is UNSET else (),
        hands=UNSET if board.hands is UNSET else none,
        undealt=UNSET if board.undealt is UNSET else (),
    )


def _hand_dealt(board: Board, event: HandDealt, viewer: Viewer) -> Board:
    if board.hands is not UNSET:
        return replace(board, hands=seated(board.hands, event.seat, event.chips))
    return replace(board, hand=event.chips)


def _chips_set_aside(board: Board, event: ChipsSetAside, viewer: Viewer) -> Board:
    return replace(board, undealt=event.chips)


def _deal_completed(board: Board, event: DealCompleted, viewer: Viewer) -> Board:
    backs = UNSET if event.backs is None else event.backs
    return replace(board, hand_sizes=(HAND,) * len(board.tokens), hand_colours=backs)


def _trick_began(board: Board, event: TrickBegan, viewer: Viewer) -> Board:
    starter = event.starter
    return replace(board, trick=event.trick, phase="play", starter=starter, to_act=starter)


def _chip_played(board: Board, event: ChipPlayed, viewer: Viewer) -> Board:
    """The chip left the hand; once all have played, the winner is named by the next event."""
    seat, chip = event.seat, event.chip
    hand, hands, backs = board.hand, board.hands, board.hand_colours
    centre = (*board.centre, Played(seat, chip))
    seats = len(board.tokens)
    return replace(
        board,
        to_act=(seat + 1) % seats if len(centre) < seats else None,
        centre=centre,
        hand_sizes=seated(board.hand_sizes, seat, board.hand_sizes[seat] - 1),
        hand=removed(hand, chip) if hand is not UNSET and seat == viewer else hand,
        hands=hands if hands is UNSET else seated(hands, seat, removed(hands[seat], chip)),
        hand_colours=backs
        if backs is UNSET
        else seated(backs, seat, removed(backs[seat], colour(chip))),
    )


def _trick_won(board: Board, event: TrickWon, viewer: Viewer) -> Board:
    return replace(board, phase="take", to_act=event.seat)


def _chip_won(board: Board, event: ChipWon, viewer: Viewer) -> Board:
    seat = event.seat
    return replace(
        board,
        to_act=(seat + 1) % len(board.tokens),
        centre=_lifted(board.centre, event.chip),
        fronts=seated(board.fronts, seat, (*board.fronts[seat], event.chip)),
    )


def _chip_taken(board: Board, event: ChipTaken, viewer: Viewer) -> Board:
    """The chip went into the hand; after the last one the next trick has yet to begin."""
    seat, chip = event.seat, event.chip
    hand, hands, backs = board.hand, board.hands, board.hand_colours
    centre = _lifted(board.centre, chip)
    return replace(
        board,
        to_act=(seat + 1) % len(board.tokens) if centre else None,
        centre=centre,
        hand_sizes=seated(board.hand_sizes, seat, board.hand_sizes[seat] + 1),
        hand=_added(hand, chip) if hand is not UNSET and seat == viewer else hand,
        hands=hands if hands is UNSET else seated(hands, seat, _added(hands[seat], chip)),
        hand_colours=backs
        if backs is UNSET
        else seated(backs, seat, _added(backs[seat], colour(chip))),
    )


def _round_scored(board: Board, event: RoundScored, viewer: Viewer) -> Board:
    tokens = tuple(had + (seat in event.winners) for seat, had in enumerate(board.tokens))
    last = LastRound(event.chips, event.sums, event.winners)
    return replace(board, tokens=tokens, last_round=last)


def _match_ended(board: Board, event: MatchEnded, viewer: Viewer) -> Board:
    return replace(board, phase="over", to_act=None, result=event.result)


def _lifted(centre: tuple[Played, ...], chip: int) -> tuple[Played, ...]:
    """The centre without one such chip; of equal ones the one played first is removed."""
    return removed(centre, next(played for played in centre if played.chip == chip))


def _added(items: tuple[T, ...], one: T) -> tuple[T, ...]:
    more = list(items)
    insort(more, one)
    return tuple(more)


_HAPPENED: Mapping[type[Event], Callable[[Board, Any, Viewer], Board]] = {
    ChipPlayed: _chip_played,
    ChipTaken: _chip_taken,
    ChipWon: _chip_won,
    TrickWon: _trick_won,
    TrickBegan: _trick_began,
    RoundBegan: _round_began,
    HandDealt: _hand_dealt,
    ChipsSetAside: _chips_set_aside,
    DealCompleted: _deal_completed,
    RoundScored: _round_scored,
    MatchEnded: _match_ended,
}

BOARDS = Boards(View=Board, initial=initial, evolve=evolve)
