"""Hands that seats entered at a real table, rewound (12 Chips, option `hands`)."""

from domain.events import PUBLIC
from domain.games.twelve_chips.actions import Enter
from domain.games.twelve_chips.events import DealCompleted
from domain.games.twelve_chips.options import Options
from domain.games.twelve_chips.rules import GAME
from domain.rulings.commands import SecondRuling
from domain.rulings.kinds import Change, ResumeMatch, Rewind
from tests.support.tables.directing import START, close_phase
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.ruling_tables import FINN, rule

RIGHT, WRONG, OTHER = Enter((1, 2, 4, 5)), Enter((1, 2, 4, 6)), Enter((3, 7, 8, 10))


def dealt() -> MatchTable:
    """A match in which seat 0 has entered a wrong hand, and then seat 1 its own."""
    table = seated(GAME, options=Options(hands="entered")).when(START)
    return table.act(0, WRONG).act(1, OTHER)


def rewound(table: MatchTable) -> MatchTable:
    """To before the deal was complete, and resumed."""
    before = 1 + next(n for n, e in enumerate(table.events) if isinstance(e, DealCompleted))
    table.when(rule("rewind", Rewind(before))).when(SecondRuling("rewind", FINN))
    return table.when(rule("resume", ResumeMatch()))


def test_hands_that_were_entered_before_stand_until_they_are_entered_again() -> None:
    table = rewound(dealt())
    assert GAME.standing(table.match.game, 0) == WRONG
    table.act(0, RIGHT).act(1, OTHER)
    assert all(event.audience != PUBLIC for event in table.new_events), "a moderator closes it"
    table.when(close_phase())
    assert table.match.game.phase == "play"
    assert table.match.game.hands == (RIGHT.chips, OTHER.chips)


def test_a_hand_is_struck_while_others_are_still_awaited() -> None:
    table = seated(GAME, options=Options(hands="entered")).when(START).act(0, WRONG)
    struck = len(table.records) - 1
    table.when(rule("strike", Rewind(None, (Change(strike=struck),))))
    table.when(SecondRuling("strike", FINN))
    assert GAME.standing(table.match.game, 0) is None
    assert all(event.audience != PUBLIC for event in table.new_events)
