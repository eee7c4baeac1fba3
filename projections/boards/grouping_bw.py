"""The table of Grouping Black & White as one audience sees it."""

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from domain.dispatch import by_kind
from domain.game import Result
from domain.games.grouping_bw.events import (
    AntesPaid,
    Called,
    End,
    Folded,
    GameWon,
    GroupingEnded,
    GroupsDrawn,
    GroupsSubmitted,
    NumberSource,
    NumberTold,
    OrderTold,
    OrderUsed,
    OwnTileTold,
    Pair,
    PassBegan,
    Raised,
    RoundBegan,
    RoundEnded,
    SetBegan,
    StarterNamed,
    TilesLaid,
)
from domain.games.grouping_bw.grouping import Colours, Grouping, Numbers, Order
from domain.games.grouping_bw.options import House, Item, Items, Options, complete
from domain.games.grouping_bw.state import Phase, put_in, spend
from domain.match.events import MatchEnded
from domain.match.seats import set_seat
from projections.audience.board import Boards
from projections.audience.disclosure import MODERATOR, Viewer


class Round(Struct, frozen=True, gc=False):
    """How a round ended; `numbers` are there if both tiles were shown, `stacks` are those after
    it."""

    set: int
    pass_: int = field(name="pass")
    round: int
    end: End
    folder: int | None
    numbers: Pair | None
    stacks: Pair
    folded_8: bool


class Told(Struct, frozen=True, gc=False):
    """The other seat's number in some round, and how the seat learned it."""

    set: int
    pass_: int = field(name="pass")
    round: int
    number: int
    by: NumberSource


class Board(Struct, frozen=True):
    """What is public, and what only this audience sees: a seat its own groups, items and the
    numbers it has learned, a moderator the groups, items, tiles and orders of both.

    `groups` are those in force, or during a grouping the seat's last submission; `own_tile` is
    there if tiles are visible to their owners. `ante` is the next one or the one that has been
    paid; `colours`, `order` and `tiles` are null while no tiles are laid.
    """

    set: int
    pass_: int = field(name="pass")
    round: int
    phase: Phase
    ante: int
    starter: int | None
    to_act: int | None
    stacks: Pair
    bets: Pair
    pot: int
    colours: Colours | None
    history: tuple[Round, ...]
    result: Result | None
    groups: Grouping | UnsetType | None = UNSET
    items: Items | UnsetType = UNSET
    told: tuple[Told, ...] | UnsetType = UNSET
    order: Order | UnsetType | None = UNSET
    own_tile: int | UnsetType | None = UNSET
    groups_by_seat: tuple[Grouping | None, ...] | UnsetType = UNSET
    items_by_seat: tuple[Items, ...] | UnsetType = UNSET
    tiles: tuple[Numbers, ...] | UnsetType | None = UNSET
    orders: tuple[Order, ...] | UnsetType | None = UNSET


def initial(options: Options | House, _seats: int, viewer: Viewer) -> Board:
    house = complete(options)
    board = Board(
        set=1,
        pass_=1,
        round=1,
        phase="name_starter",
        ante=1,
        starter=None,
        to_act=None,
        stacks=house.stacks,
        bets=(0, 0),
        pot=0,
        colours=None,
        history=(),
        result=None,
    )
    if viewer == MODERATOR:
        moderator_board = replace(board, groups_by_seat=(None, None), items_by_seat=house.items)
        return replace(moderator_board, tiles=None, orders=None)
    if isinstance(viewer, int):
        own_tile = None if house.own_tile_visible else UNSET
        own = replace(board, groups=None, items=house.items[viewer], told=(), order=None)
        return replace(own, own_tile=own_tile)
    return board


def _starter_named(board: Board, event: StarterNamed) -> Board:
    """This uses up the bonus of the seat that has it."""
    without = _use_item(_use_item(board, 0, "bonus"), 1, "bonus")
    return replace(without, starter=event.starter)


def _use_item(board: Board, seat: int, item: Item) -> Board:
    """A seat sees only its own items, and only its own use of them."""
    if board.items_by_seat is not UNSET:
        return replace(board, items_by_seat=spend(board.items_by_seat, seat, item))
    if board.items is not UNSET:
        return replace(board, items=tuple(other for other in board.items if other != item))
    return board


def _no_tiles(board: Board) -> Board:
    """Without tiles nothing about them is shown."""
    return replace(
        board,
        round=1,
        to_act=None,
        colours=None,
        order=board.order if board.order is UNSET else None,
        own_tile=board.own_tile if board.own_tile is UNSET else None,
        tiles=board.tiles if board.tiles is UNSET else None,
        orders=board.orders if board.orders is UNSET else None,
    )


def _set_began(board: Board, event: SetBegan) -> Board:
    cleared = _no_tiles(board)
    return replace(cleared, phase="grouping", set=event.set, pass_=1, ante=event.ante)


def _groups_made(board: Board, event: GroupsSubmitted | GroupsDrawn) -> Board:
    if board.groups_by_seat is not UNSET:
        both = set_seat(board.groups_by_seat, event.seat, event.groups)
        return replace(board, groups_by_seat=both)
    return replace(board, groups=event.groups)


def _order_used(board: Board, event: OrderUsed) -> Board:
    return _use_item(board, event.seat, "order")


def _grouping_ended(board: Board, event: GroupingEnded) -> Board:
    return replace(board, phase="deal", ante=event.ante)


def _pass_began(board: Board, event: PassBegan) -> Board:
    return replace(_no_tiles(board), phase="deal", pass_=event.number)


def _tiles_laid(board: Board, event: TilesLaid) -> Board:
    return replace(board, tiles=event.tiles, orders=event.orders)


def _order_revealed(board: Board, event: OrderTold) -> Board:
    """Moderators see the order anyway."""
    return board if board.order is UNSET else replace(board, order=event.order)


def _round_began(board: Board, event: RoundBegan) -> Board:
    return replace(
        board,
        phase="betting",
        round=event.round,
        colours=event.colours,
        starter=event.starter,
        own_tile=board.own_tile if board.own_tile is UNSET else None,
    )


def _own_tile_revealed(board: Board, event: OwnTileTold) -> Board:
    return board if board.own_tile is UNSET else replace(board, own_tile=event.number)


def _antes_paid(board: Board, event: AntesPaid) -> Board:
    first, second = board.stacks
    rest = (first - event.chips, second - event.chips)
    to_act = board.starter if min(rest) > 0 else None
    bets = (event.chips, event.chips)
    return replace(board, stacks=rest, bets=bets, pot=2 * event.chips, to_act=to_act)


def _raised(board: Board, event: Raised) -> Board:
    return replace(_meet_bet(board, event.seat, event.by), to_act=1 - event.seat)


def _called(board: Board, event: Called) -> Board:
    return _meet_bet(board, event.seat, 0)


def _meet_bet(board: Board, seat: int, more: int) -> Board:
    """The seat has met the other bet and added `more` chips."""
    chips = board.bets[1 - seat] - board.bets[seat] + more
    stacks, bets = put_in(board.stacks, board.bets, seat, chips)
    return replace(board, stacks=stacks, bets=bets, pot=sum(bets), to_act=None)


def _folded(board: Board, event: Folded) -> Board:
    return replace(board, to_act=None)


def _number_revealed(board: Board, event: NumberTold) -> Board:
    after_use = _use_item(board, event.seat, "peek") if event.by == "peek" else board
    if board.told is UNSET:
        return after_use
    entry = Told(board.set, board.pass_, board.round, event.number, event.by)
    return replace(after_use, told=(*board.told, entry))


def _round_ended(board: Board, event: RoundEnded) -> Board:
    round_ = Round(
        set=board.set,
        pass_=board.pass_,
        round=board.round,
        end=event.end,
        folder=event.folder,
        numbers=event.numbers,
        stacks=event.stacks,
        folded_8=event.folded_8,
    )
    return replace(
        board,
        stacks=event.stacks,
        bets=(0, 0),
        pot=0,
        starter=board.starter if event.winner is None else event.winner,
        to_act=None,
        history=(*board.history, round_),
    )


def _game_won(board: Board, event: GameWon) -> Board:
    return replace(board, phase="over", to_act=None)


def _match_ended(board: Board, event: MatchEnded) -> Board:
    return replace(board, phase="over", to_act=None, result=event.result)


_evolve = by_kind(
    _starter_named,
    _set_began,
    _groups_made,
    _order_used,
    _grouping_ended,
    _pass_began,
    _tiles_laid,
    _order_revealed,
    _round_began,
    _own_tile_revealed,
    _antes_paid,
    _raised,
    _called,
    _folded,
    _number_revealed,
    _round_ended,
    _game_won,
    _match_ended,
)

BOARDS = Boards(
    view=Board, initial=initial, evolve=lambda board, event, _viewer, _at: _evolve(board, event)
)
