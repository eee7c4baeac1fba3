"""A tournament to begin with, and its later states."""

import pytest

from domain.game import Refused, Result
from domain.tournament.decide import CODES, Command, NewTournament, decide
from domain.tournament.state import NOTHING_YET, Tournament, fold

WON = Result((0,), (1,), False, (3, 1))
SHARED = Result((0, 1), (), True, (2, 2))
CUP = NewTournament("Cup", ("Ann", "Ben", "Cy"), ("Mo", "Cy"), {"Ann": 5})


def after(*commands: Command, before: Tournament = NOTHING_YET) -> Tournament:
    """The tournament after these commands."""
    for command in commands:
        before = fold(before, decide(before, command))
    return before


def refusal(state: Tournament, command: Command) -> str:
    with pytest.raises(Refused) as refused:
        decide(state, command)
    assert refused.value.code in CODES
    return refused.value.code
