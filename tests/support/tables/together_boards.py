"""Together We Survive played for its board, and what the board shows."""

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from domain.games.together.actions import Submit, Vote
from domain.games.together.groups import Group
from domain.games.together.options import Options
from domain.games.together.rules import GAME
from projections.audience.disclosure import Viewer
from projections.audience.view import AudienceState, see_all
from projections.boards.together import show
from tests.support.tables.directing import START, close_phase
from tests.support.tables.match_table import MatchTable, seated


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
