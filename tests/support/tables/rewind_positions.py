"""Positions of matches in which one person may rule alone, and rewinds of them.

Dollar Prize has public draws, Liar's Dice sealed ones and turns, Grouping Black & White and
Together We Survive have sealed phases.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from domain.chance.draws import Outcome
from domain.events import Event
from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide
from domain.games.grouping_bw.actions import NameStarter
from domain.match.deadlines import SECOND
from domain.match.events import Chance, ClockRule
from domain.proof.rejudging import rejudge
from domain.rulings.kinds import Change, Reapply, Redraw, ResumeMatch, Rewind
from domain.rulings.rewinding import Misfit, rewind_match
from tests.support.instants import NOON
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.grouping_bw_tables import ASCENDING, DESCENDING, group
from tests.support.tables.match_table import MATCH, MatchTable, inputs, replayed, seated
from tests.support.tables.ruling_tables import rule


def started(
    name: str,
    seats: int = 2,
    options: Any = None,
    chance: Chance = "manual",
    clock: ClockRule = "rules",
) -> MatchTable:
    """A match that has begun, in which one person may rule alone."""
    created = seated(GAMES[name], seats, options, chance, clock).match.created
    table = MatchTable(
        GAMES[name], replace(created, rulings="single", record=GAMES[name].records[0])
    )
    return table.when(START)


def by_two(table: MatchTable) -> MatchTable:
    """The same match, in which some rulings take two people."""
    created = replace(table.match.created, rulings="two")
    again = MatchTable(table.game, created)
    for at, command in inputs(table.game, table.records):
        again.when(command, at)
    return again


def coins(chance: Chance = "manual") -> MatchTable:
    """Dollar Prize after the choice of sides: the setup pennies are flipped, by hand if chance
    is."""
    return started("dollar-prize", chance=chance).accepted(0, ChooseSide("heads"))


FLIPS: Outcome = ("heads", "tails", "heads", "tails", "tails")


def flipped() -> MatchTable:
    return coins().when(enter_draw("setup", FLIPS))


def dice(*hands: tuple[int, ...], **options: Any) -> MatchTable:
    """The first turn of Liar's Dice, of 60 s, with these hands."""
    given = {"dice": len(hands[0]), "turn_seconds": 60, **options}
    table = started("liars-dice", len(hands), GAMES["liars-dice"].Options(**given))
    return rolled(table, *hands)


def rolled(table: MatchTable, *hands: tuple[int, ...]) -> MatchTable:
    for hand in hands:
        table.when(enter_draw(table.draw.id, hand))  # type: ignore[union-attr]
    return table


def grouping() -> MatchTable:
    """The first grouping of Grouping Black & White: sealed, until both have grouped."""
    return started("grouping-bw").accepted(1, NameStarter(0))


def grouped() -> MatchTable:
    """Both have grouped, so it has ended, and the tiles are to be dealt."""
    table = grouping().accepted(0, group(ASCENDING), NOON + 10 * SECOND)
    return table.accepted(1, group(DESCENDING), NOON + 20 * SECOND)


def submitting() -> MatchTable:
    """The first round of Together We Survive, in which no one has submitted."""
    return started("together", 6)


def last(table: MatchTable, kind: type[Event]) -> int:
    """The position of the last event of this kind."""
    return max(n for n, event in enumerate(table.events, 1) if isinstance(event, kind))


def first(table: MatchTable, kind: type[Event]) -> int:
    return min(n for n, event in enumerate(table.events, 1) if isinstance(event, kind))


def rewind(
    table: MatchTable, before: int | None, *changes: Change, reapply: Reapply = "none"
) -> MatchTable:
    """Eve rewinds the match to before the batch of this event. The record gives the match."""
    table.when(rule(f"at {len(table.events)}", Rewind(before, changes, reapply)))
    assert replayed(table.game, table.records) == table.match == rejudge(MATCH, table.records)
    return table


def resume(table: MatchTable, at: int | None = None) -> MatchTable:
    return table.when(rule(f"at {len(table.events)}", ResumeMatch()), at)


def no_rewind(table: MatchTable, code: str, before: int | None, *changes: Change) -> None:
    table.conflicts(rule("no", Rewind(before, changes)), code)


def misfit(table: MatchTable, before: int, *changes: Change) -> Misfit | None:
    """Where judging again what came later would end."""
    ruling = Rewind(before, changes, "while_legal")
    command = table.looking_back(rule("preview", ruling))
    past = command.past  # type: ignore[union-attr]
    assert past is not None
    return rewind_match(table.game, table.match, ruling, past, table.at).misfit


def kinds(table: MatchTable) -> list[type[Event]]:
    return [type(event) for event in table.new_events]


def sent(action: Any) -> dict[str, Any]:
    return msgspec.to_builtins(action)  # type: ignore[no-any-return]


def redraw(*outcome: Any, of: str = "setup") -> Change:
    """The draw shall have had another outcome."""
    return Change(redraw=Redraw(of, outcome))
