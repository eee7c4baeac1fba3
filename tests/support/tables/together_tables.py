"""Tables of Together We Survive with chosen groups, and ways to any point of a match."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from domain.games.together.actions import Submit, Vote
from domain.games.together.events import RoundCounted
from domain.games.together.groups import Group
from domain.games.together.options import Options
from domain.games.together.rules import GAME
from domain.games.together.state import State
from projections.audience.disclosure import Viewer
from projections.audience.view import AudienceState, see_all
from projections.boards.together import show
from tests.support.tables.directing import START, close_phase
from tests.support.tables.game_table import Table
from tests.support.tables.match_table import MatchTable, seated

WITHDRAWAL = Submit(round=1)


def new(groups: str = "AAABBB", **options: Any) -> Table:
    """A table in its first round, with a group for each seat."""
    each = cast(tuple[Group, ...], tuple(groups))
    return Table(GAME, len(groups), Options(groups=each, **options))


def a(*votes: int, at: int = 1) -> Submit:
    """Type A votes for the round `at`."""
    return Submit(a=votes, round=at)


def b(*votes: int, at: int = 1) -> Submit:
    return Submit(b=votes, round=at)


def both(a: Iterable[int], b: Iterable[int], at: int = 1) -> Submit:
    return Submit(a=tuple(a), b=tuple(b), pay_garnet=True, round=at)


def state(table: Table) -> State:
    assert isinstance(table.state, State)
    return table.state


def play(table: Table, said: Mapping[int, Submit]) -> Table:
    """A round with these submissions, whatever round they name, up to its deadline."""
    for seat, submit in said.items():
        table.act(seat, replace(submit, round=state(table).round))
    return table.expired()


def kick(table: Table, *out: int) -> Table:
    """A round in which these are kicked out: each has one vote, their own."""
    return play(table, {seat: a(seat) for seat in out})


def holding(table: Table, *tokens: int, garnets: Iterable[int] = ()) -> Table:
    """Lets the seats hold these tokens, and garnets if any are given."""
    nothing = (0,) * len(tokens)
    new_garnets = tuple(garnets) or state(table).garnets
    return table.given(RoundCounted(state(table).round, nothing, nothing, (), tokens, new_garnets))


def over(groups: str, *rounds: tuple[int, ...], b_tokens: Iterable[int], **options: Any) -> Table:
    """A table at the end of its main match: these left the stage in these rounds, and group B has
    this many tokens. The last of group A may be left to leave on their own."""
    table = new(groups, **options)
    tokens_of_b = iter(b_tokens)
    holding(table, *(9 if group == "A" else next(tokens_of_b) for group in groups))
    for out in rounds:
        kick(table, *out)
    return table


def events(table: Table, kind: type) -> list[Any]:
    return [event for event in table.new if isinstance(event, kind)]


def event(table: Table, kind: type) -> Any:
    (found,) = events(table, kind)
    return found


def started(groups: str = "AAABBB", clock: Any = "none", **options: Any) -> MatchTable:
    each = cast(tuple[Group, ...], tuple(groups))
    chosen = Options(groups=each, **options)
    return seated(GAME, len(groups), chosen, clock=clock).when(START)


def seen(table: MatchTable, viewer: Viewer) -> dict[str, Any]:
    """The view as it is on the wire."""
    board = see_all(AudienceState(viewer), table.records).board
    view = msgspec.json.decode(msgspec.json.encode(show(board)))
    assert isinstance(view, dict)
    return view


def shows(table: MatchTable, viewer: Viewer, **expected: Any) -> None:
    view = seen(table, viewer)
    assert {name: view[name] for name in expected} == expected


def closed(table: MatchTable, said: Iterable[tuple[int, Submit | Vote]] = ()) -> MatchTable:
    """These submissions, then the moderator closes the phase."""
    for seat, submission in said:
        table.accepted(seat, submission)
    return table.when(close_phase())
