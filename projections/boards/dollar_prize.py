"""The view of Dollar Prize: everything is public, so it is the same for every audience, and folded
as the rules fold it."""

from typing import cast, get_args

from msgspec import Struct
from msgspec.structs import replace

from domain.chance.draws import Face
from domain.events import Event
from domain.game import Result
from domain.games.dollar_prize.coins import Flips, Row, laid_out, total
from domain.games.dollar_prize.events import CoinsFlipped, PenniesDealt, Phase
from domain.games.dollar_prize.events import Event as GameEvent
from domain.games.dollar_prize.options import Options
from domain.games.dollar_prize.state import State
from domain.games.dollar_prize.state import evolve as evolve_game
from domain.match.events import MatchEnded
from projections.audience.board import Boards
from projections.audience.disclosure import Viewer


class Board(Struct, frozen=True):
    """What everyone sees.

    `round` is 0 before the first; `lines` are each seat's coins from the prize outwards, `totals`
    their cents. `converted` and `placed` are about the current turn; in other phases they are
    false. `last_flips` is the latest draw of the match, the setup's included.
    """

    round: int
    phase: Phase
    to_act: int | None
    sides: tuple[Face | None, Face | None]
    lines: tuple[Row, Row]
    totals: tuple[int, int]
    converted: bool
    placed: bool
    last_flips: Flips
    result: Result | None


class Table(State, frozen=True):
    """The game, and what its state does not hold."""

    last_flips: Flips = ()
    result: Result | None = None


def initial(options: Options, _seats: int, _viewer: Viewer) -> Table:
    return Table(options, options.first_player)


def evolve(table: Table, event: Event, _viewer: Viewer, _at: int) -> Table:
    if type(event) not in _KINDS:
        return table
    if type(event) is MatchEnded:
        return replace(table, result=event.result)
    after = cast(Table, evolve_game(table, event))
    if type(event) is PenniesDealt or type(event) is CoinsFlipped:
        return replace(after, last_flips=event.flips)
    return after


_KINDS = frozenset({*get_args(GameEvent), MatchEnded})


def show(table: Table) -> Board:
    phase: Phase = table.phase if table.result is None else "over"
    sides: tuple[Face, Face] = ("heads", "tails") if table.heads == 0 else ("tails", "heads")
    (first, second), turn = table.lines, phase == "turn"
    return Board(
        table.round,
        phase,
        None if phase in ("setup", "steal", "over") else table.seat,
        (None, None) if table.phase == "choose_side" else sides,
        (laid_out(first), laid_out(second)),
        (total(first), total(second)),
        converted=turn and table.converted,
        placed=turn and table.placed,
        last_flips=table.last_flips,
        result=table.result,
    )


BOARDS = Boards(view=Board, initial=initial, evolve=evolve, show=show)
