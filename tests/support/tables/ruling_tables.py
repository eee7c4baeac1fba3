"""Rulings at the tables of the tests: who rules, and matches with rulings in between."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.game import Result
from domain.games import GAMES
from domain.match.commands import CaseCommand, CloseCase, Conflict, OpenCase
from domain.match.deadlines import SECOND
from domain.match.events import Directed
from domain.match.state import Match
from domain.people import Actor
from domain.rulings.commands import (
    ConsentToRuling,
    Rule,
    RulingCommand,
    SecondRuling,
    WithdrawRuling,
)
from domain.rulings.decide import DueCommand, next_due, next_unmoved
from domain.rulings.kinds import (
    Confirm,
    Extend,
    Note,
    PauseMatch,
    ReplaceSeat,
    ResumeMatch,
    RuleResult,
    Ruling,
    VoidMatch,
)
from domain.rulings.life import PENDING
from domain.rulings.state import PendingRuling
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import next_input
from tests.support.tables.match_table import MatchTable, seated

EVE, FINN = Actor("Eve", "key-eve"), Actor("Finn", "key-finn")
GIL = Actor("Gil", "key-gil")
"""Who may close a case that both of the others have decided before it was appealed."""
NAMELESS = Actor(None, "key-of-nobody")
ANN, BEN = Actor(None, "key-ann", seat=0), Actor(None, "key-ben", seat=1)
"""The seats of a match, which ask for rulings."""

BY_EVE, BY_FINN = Directed("Eve", "key-eve"), Directed("Finn", "key-finn")
"""What stands after a ruling of theirs."""

REASON = "the coin was typed wrongly"


def rule(ruling_id: str, ruling: Ruling, actor: Actor = EVE, **more: Any) -> Rule:
    """A ruling with a reason."""
    return Rule(ruling_id, ruling, REASON, actor, **more)


def a_result(seats: int, winner: int = 0) -> Result:
    """The seat wins and all others lose."""
    losers = tuple(seat for seat in range(seats) if seat != winner)
    scores = tuple(int(seat == winner) for seat in range(seats))
    return Result((winner,), losers, False, scores)


def ruled_walk(name: str, seats: int, luck: int, length: int = 60) -> Iterator[MatchTable]:
    """A random match with random rulings between the inputs, at each position: up to this many
    inputs, up to a result that is ruled or a match that is void, and up to where that is final."""
    rng = Random(f"rulings/{name}/{seats}/{luck}")
    chance = rng.choice(("server", "manual"))
    usual = seated(GAMES[name], seats, chance=chance, clock="rules")  # type: ignore[arg-type]
    hours = rng.choice((UNSET, 1, 48))
    created = replace(usual.match.created, record=GAMES[name].records[0], protest_hours=hours)
    table = MatchTable(GAMES[name], created)
    yield from ruling_step(table, rng)
    yield table.when(START)
    for _ in range(length):
        if table.match.status == "running" and rng.random() < 0.5:
            at, command = next_input(table, rng)
            pass_all(table, at, next_unmoved)
            yield table.when(command, at)
        else:
            yield from ruling_step(table, rng)
        if table.match.over:
            return
    yield from ended_by_ruling(table, rng)
    while not table.match.over:
        yield from ruling_step(table, rng)


def ended_by_ruling(table: MatchTable, rng: Random) -> Iterator[MatchTable]:
    """The match is ended by a ruling, which needs two people."""
    ruling = rng.choice((RuleResult(a_result(len(table.seats)), "forfeit"), VoidMatch()))
    _at_instant(table, rng)
    if not table.match.over:
        yield table.when(rule("the last", ruling))
        if table.match.rulings.waiting("the last") is not None:
            yield table.when(SecondRuling("the last", FINN))


def ruling_step(table: MatchTable, rng: Random) -> Iterator[MatchTable]:
    """A random command about a ruling, if the match is in a position for it."""
    _at_instant(table, rng)
    pending = table.match.rulings.pending
    command = _on_pending(table, rng, rng.choice(pending)) if pending else None
    if command is None or rng.random() < 0.4:
        command = _new(table, rng)
    for_cases = Random(f"{len(table.records)} {table.at}")
    if for_cases.random() < 0.3:
        with suppress(Conflict):
            table.when(_on_case(table, for_cases))
            yield table
        # A protest window may have waited for the case.
        pass_time(table, table.at)
    with suppress(Conflict):
        table.when(command)
        yield table


def _at_instant(table: MatchTable, rng: Random) -> None:
    """Some time passes, and with it what is due."""
    pass_time(table, table.at + rng.choice((0, SECOND, 20 * SECOND, PENDING // 3)))


def pass_time(table: MatchTable, at: int) -> None:
    """Lets what is due by `at` pass, at its instants."""
    pass_all(table, at, next_due)
    table.at = at


def pass_all(table: MatchTable, at: int, following: Callable[[Match], DueCommand | None]) -> None:
    """Lets what is due by `at` pass, of one kind."""
    while (due := following(table.match)) is not None and due.at <= at:
        table.when(due.command, max(due.at, table.at))


def _on_pending(table: MatchTable, rng: Random, pending: PendingRuling) -> RulingCommand | None:
    if pending.asker is not UNSET and rng.random() < 0.8:
        missing = [seat for seat in table.seats if seat not in (pending.asker, *pending.consents)]
        asks = Actor(None, "key", seat=pending.asker)
        consents = (ConsentToRuling(pending.id, seat) for seat in missing)
        return next(
            consents, rng.choice((SecondRuling(pending.id, FINN), WithdrawRuling(pending.id, asks)))
        )
    if isinstance(pending.ruling, RuleResult | VoidMatch):
        return WithdrawRuling(pending.id, FINN)
    if pending.ask_seats and rng.random() < 0.7:
        return ConsentToRuling(pending.id, rng.choice(table.seats))
    return rng.choice((SecondRuling(pending.id, FINN), WithdrawRuling(pending.id, EVE), None))


def _on_case(table: MatchTable, rng: Random) -> CaseCommand:
    """A case is opened, appealed or closed by a note."""
    cases = table.match.cases
    case = rng.choice((None, *cases))
    if case is None:
        return OpenCase(f"case {len(cases)}", rng.choice((None, EVE)))
    actor = rng.choice((EVE, FINN, GIL))
    return CloseCase(case.id, actor) if case.open else OpenCase(case.id)


def _new(table: MatchTable, rng: Random) -> Rule:
    past = table.match.rulings.past
    count = len(past) + len(table.match.rulings.pending)
    seat = rng.choice(table.seats)
    to = rng.choice(("public", "sealed", f"seat:{seat}"))
    kinds: tuple[Ruling, ...] = (
        PauseMatch(),
        ResumeMatch(),
        ResumeMatch(),
        Extend(seconds=rng.randrange(1, 100)),
        Note(to, "as it stands", rng.choice(("clarification", "warning", "uphold"))),
        ReplaceSeat(seat, f"Player {count}"),
        RuleResult(a_result(len(table.seats)), "adjudicated"),
        Confirm(),
    )
    appeals = rng.choice((None, None, *(one.id for one in past)))
    actor, asked = rng.choice((EVE, FINN, NAMELESS)), rng.random() < 0.6
    if rng.random() < 0.2:
        asks = rng.choice((PauseMatch(), ResumeMatch(), VoidMatch()))
        return rule(f"ruling {count}", asks, Actor(None, "key", seat=seat), ask_seats=True)
    waiting = [one.id for one in table.match.cases if one.open]
    case = waiting[0] if waiting and count % 3 == 0 else None
    return rule(
        f"ruling {count}", rng.choice(kinds), actor, appeals=appeals, case=case, ask_seats=asked
    )
