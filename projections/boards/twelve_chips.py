"""The table of 12 Chips as one audience sees it."""

from bisect import insort
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.dispatch import by_kind
from domain.events import Event
from domain.game import Result
from domain.games.twelve_chips.chips import HAND, Chips, Colour, colour, remove_one
from domain.games.twelve_chips.events import (
    ChipPlayed,
    ChipsSetAside,
    ChipTaken,
    ChipWon,
    DealCompleted,
    HandDealt,
    HandEntered,
    RoundBegan,
    RoundScored,
    TrickBegan,
    TrickWon,
)
from domain.games.twelve_chips.options import Options
from domain.match.events import MatchEnded
from domain.match.seats import set_seat
from projections.audience.board import Boards
from projections.audience.disclosure import MODERATOR, Viewer

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
    """What is public, and what only this audience sees: a seat its `hand`, sorted; a moderator all
    `hands` and the chips set aside. Where seats enter their hands, a moderator sees neither, but
    the seats that have `entered` one.

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
    entered: tuple[int, ...] | UnsetType = UNSET


def initial(options: Options, seats: int, viewer: Viewer) -> Board:
    none: tuple[tuple[Any, ...], ...] = ((),) * seats
    sees_deals = viewer == MODERATOR and options.hands == "dealt"
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
        hands=none if sees_deals else UNSET,
        undealt=() if sees_deals else UNSET,
        entered=() if viewer == MODERATOR and not sees_deals else UNSET,
    )


def evolve(board: Board, event: Event, viewer: Viewer, at: int) -> Board:
    """What everyone sees, and then the hand that a chip has left or joined."""
    board = _seen_by_all(board, event)
    match event:
        case ChipPlayed(seat, chip):
            return _hand_changed(board, seat, chip, remove_one, viewer)
        case ChipTaken(seat, chip):
            return _hand_changed(board, seat, chip, _insert, viewer)
    return board


def _round_began(board: Board, event: RoundBegan) -> Board:
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
        entered=UNSET if board.entered is UNSET else (),
    )


def _hand_dealt(board: Board, event: HandDealt | HandEntered) -> Board:
    if board.hands is not UNSET:
        return replace(board, hands=set_seat(board.hands, event.seat, event.chips))
    if board.entered is not UNSET:
        return replace(board, entered=tuple(sorted({*board.entered, event.seat})))
    return replace(board, hand=event.chips)


def _chips_set_aside(board: Board, event: ChipsSetAside) -> Board:
    return replace(board, undealt=event.chips)


def _deal_completed(board: Board, event: DealCompleted) -> Board:
    backs = UNSET if event.backs is None else event.backs
    return replace(board, hand_sizes=(HAND,) * len(board.tokens), hand_colours=backs)


def _trick_began(board: Board, event: TrickBegan) -> Board:
    starter = event.starter
    return replace(board, trick=event.trick, phase="play", starter=starter, to_act=starter)


def _chip_played(board: Board, event: ChipPlayed) -> Board:
    """Once all have played, the winner is named by the next event."""
    centre = (*board.centre, Played(event.seat, event.chip))
    seats = len(board.tokens)
    to_act = (event.seat + 1) % seats if len(centre) < seats else None
    return replace(board, to_act=to_act, centre=centre)


def _trick_won(board: Board, event: TrickWon) -> Board:
    return replace(board, phase="take", to_act=event.seat)


def _chip_won(board: Board, event: ChipWon) -> Board:
    seat = event.seat
    return replace(
        board,
        to_act=(seat + 1) % len(board.tokens),
        centre=_lifted(board.centre, event.chip),
        fronts=set_seat(board.fronts, seat, (*board.fronts[seat], event.chip)),
    )


def _chip_taken(board: Board, event: ChipTaken) -> Board:
    """After the last chip the next trick has yet to begin."""
    centre = _lifted(board.centre, event.chip)
    to_act = (event.seat + 1) % len(board.tokens) if centre else None
    return replace(board, to_act=to_act, centre=centre)


def _hand_changed(
    board: Board, seat: int, chip: int, change: Callable[[Any, Any], Any], viewer: Viewer
) -> Board:
    """The chip has left the seat's hand or joined it, as `change` says."""
    hand, hands, backs = board.hand, board.hands, board.hand_colours
    by = 1 if change is _insert else -1
    after = replace(board, hand_sizes=set_seat(board.hand_sizes, seat, board.hand_sizes[seat] + by))
    if hand is not UNSET and seat == viewer:
        after = replace(after, hand=change(hand, chip))
    if hands is not UNSET:
        after = replace(after, hands=set_seat(hands, seat, change(hands[seat], chip)))
    if backs is not UNSET:
        changed_backs = change(backs[seat], colour(chip))
        after = replace(after, hand_colours=set_seat(backs, seat, changed_backs))
    return after


def _round_scored(board: Board, event: RoundScored) -> Board:
    tokens = tuple(had + (seat in event.winners) for seat, had in enumerate(board.tokens))
    last = LastRound(event.chips, event.sums, event.winners)
    return replace(board, tokens=tokens, last_round=last)


def _match_ended(board: Board, event: MatchEnded) -> Board:
    return replace(board, phase="over", to_act=None, result=event.result)


def _lifted(centre: tuple[Played, ...], chip: int) -> tuple[Played, ...]:
    """The centre without one such chip; of equal ones the one played first is removed."""
    return remove_one(centre, next(in_centre for in_centre in centre if in_centre.chip == chip))


def _insert(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    more = list(items)
    insort(more, item)
    return tuple(more)


_seen_by_all = by_kind(
    _round_began,
    _hand_dealt,
    _chips_set_aside,
    _deal_completed,
    _trick_began,
    _chip_played,
    _trick_won,
    _chip_won,
    _chip_taken,
    _round_scored,
    _match_ended,
)

BOARDS = Boards(view=Board, initial=initial, evolve=evolve)
