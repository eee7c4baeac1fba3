"""Corrections of settled matches at the tables of the tests, and who makes them."""

from typing import Any

from domain.events import Event
from domain.game import Refused, Result
from domain.match.commands import Conflict
from domain.people import Actor
from domain.rulings.commands import Rule, SecondRuling, WithdrawRuling
from domain.rulings.kinds import Correction
from domain.rulings.state import PastRuling
from domain.rulings.tournament_decide import MatchFacts, RuleTournament
from domain.tournament.commands import Command, NewTournament
from domain.tournament.decide import CODES, decide
from domain.tournament.fold import fold
from domain.tournament.state import NOTHING_YET, Tournament
from tests.support.instants import NOON

OLGA, MO = Actor("Olga", "key-olga"), Actor("Mo", "key-mo")
"""An organiser, and a moderator of the match."""

LOST = Result((1,), (0,), False, (1, 3))
WHY = "the scores were swapped"


def facts(
    *names: str,
    single: bool = False,
    balance: tuple[int, ...] | None = None,
    rulings: tuple[PastRuling, ...] = (),
) -> MatchFacts:
    """What a correction depends on in a match, by default of Ann and Ben."""
    return MatchFacts(names or ("Ann", "Ben"), single, balance, rulings)


def correct(
    ruling: str,
    match: str = "one",
    result: Result | None = LOST,
    actor: Actor = OLGA,
    about: MatchFacts | None = None,
    **more: Any,
) -> RuleTournament:
    ordered = Correction(match, result)
    return RuleTournament(Rule(ruling, ordered, WHY, actor, **more), about or facts(), NOON)


def second(ruling: str, actor: Actor, about: MatchFacts) -> RuleTournament:
    """Someone carries out a pending correction."""
    return RuleTournament(SecondRuling(ruling, actor), about, NOON)


def withdraw(ruling: str, actor: Actor, about: MatchFacts) -> RuleTournament:
    return RuleTournament(WithdrawRuling(ruling, actor), about, NOON)


def corrected(
    state: Tournament, match: str, result: Result | None, balance: tuple[int, ...] | None = None
) -> tuple[Tournament, list[Event]]:
    """The tournament after a correction by two people, and the events of the second."""
    ruling, about = f"r{len(state.rulings.past)}", facts(balance=balance)
    proposed = decide(state, correct(ruling, match, result, about=about))
    state = fold(state, proposed)
    events = decide(state, second(ruling, MO, about))
    return fold(state, events), events


WON = Result((0,), (1,), False, (3, 1))
SHARED = Result((0, 1), (), True, (2, 2))
CUP = NewTournament("Cup", ("Ann", "Ben", "Cy"), ("Mo", "Cy"), {"Ann": 5})


def after(*commands: Command, before: Tournament = NOTHING_YET) -> Tournament:
    for command in commands:
        before = fold(before, decide(before, command))
    return before


def refused(state: Tournament, command: Command) -> str:
    """The code with which a command is refused."""
    try:
        decide(state, command)
    except (Conflict, Refused) as error:
        return error.code
    raise AssertionError("it is not refused")


def refusal(state: Tournament, command: Command) -> str:
    """The same of a code of the tournament's own."""
    code = refused(state, command)
    assert code in CODES
    return code
