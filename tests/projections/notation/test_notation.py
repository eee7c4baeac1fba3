"""The notation of a match: its header and its moves, one a line."""

from hashlib import sha256
from random import Random

import pytest

from domain.games import GAMES
from domain.games.grouping_bw.events import GroupingEnded
from domain.games.liars_dice import Bid, Challenge
from domain.match.commands import Act, EnterDraw
from domain.match.events import MatchCreated
from domain.rulings.events import MatchRewound
from projections.notation.writing import notation
from tests.recorded.files import outcome, records
from tests.support.tables.directing import DIRECTOR, START
from tests.support.tables.game_strategies import any_refusable, as_sent
from tests.support.tables.grouping_bw_tables import DESCENDING, group
from tests.support.tables.match_table import MATCH, MatchTable
from tests.support.tables.rewind_positions import grouped, last, resume, rewind
from tests.support.tables.rewinding_tables import rewound_walk

MOST_REWOUND = 100

WRITTEN = {
    "dollar-prize.manual": "5f03a42712386bd1",
    "dollar-prize.protested": "996be5f60ce459e2",
    "dollar-prize.redrawn": "c3adeb104fbe2fed",
    "dollar-prize.ruled": "40655574ae35c99f",
    "dollar-prize.seeded": "5bd5cdbc2b41d223",
    "dollar-prize.table": "fe160ba6114f36dd",
    "grouping-bw.manual": "c0d33fad46ea9ce9",
    "grouping-bw.rewound": "51b2397e336d54ef",
    "grouping-bw.seeded": "766e69410ff939e0",
    "liars-dice.keys": "195fb9edc793c922",
    "liars-dice.manual": "e04371ceea24bbc3",
    "liars-dice.protested": "ba6b487ac4a2c525",
    "liars-dice.reapplied": "067e8ea7675ee467",
    "liars-dice.seeded": "fdafcab22bb8a6fa",
    "together.away": "7ebd9c61b5d4cda9",
    "together.expired": "9dad306ae7487136",
    "together.manual": "b3be4c99fc67f786",
    "together.seeded": "9c0ece496d400383",
    "twelve-chips.away": "7a7aaa3c0563c549",
    "twelve-chips.entered": "a4135a1f1ec794c6",
    "twelve-chips.manual": "e60126526ccb1ae8",
    "twelve-chips.ruled": "6bdc2c2f58a9151e",
    "twelve-chips.seeded": "185803906b40e916",
}
"""Of each recorded match the beginning of the SHA-256 of its notation without remarks."""


def lines(text: str) -> list[str]:
    """The lines of a notation without remarks."""
    return [line for line in text.splitlines() if not line.startswith(";")]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_match_is_written_the_same_for_ever(name: str) -> None:
    text = notation(outcome(name).match, records(name))
    assert sha256("\n".join(lines(text)).encode()).hexdigest().startswith(WRITTEN[name])


def test_a_match_is_a_header_and_one_line_a_move() -> None:
    """A name that could be read as anything else is quoted, with nothing that does not print."""
    game = GAMES["liars-dice"]
    created = MatchCreated(game.id, game.rules_version, {"dice": 1}, 2, "manual")
    names = 'Jörg "B"\u202e\U000e0001', "12"
    table = MatchTable(game, created, match_id=MATCH, names=names).when(START)
    for roll, face in enumerate((3, 4)):
        table.when(EnterDraw(f"round1/roll/{roll}", (face,), DIRECTOR))
    for seat, action in enumerate((Bid(1, 3), Challenge())):
        table.when(Act(seat, action, as_sent(action)))
    assert notation(MATCH, table.records).splitlines() == [
        "[Notation 1]",
        "[Game liars-dice]",
        "[Rules 1]",
        f"[Match {MATCH}]",
        '[Created "2026-01-01T12:00:00Z"]',
        r'[Seat "Jörg \"B\"\u202e\udb40\udc01"]',
        '[Seat "12"]',
        "[Option dice 1]",
        "[Chance manual]",
        "[Clock none]",
        "[Record opened_at_end]",
        "[Status ended]",
        "[Result {winners:[0],losers:[1],shared:false,scores:[1,0]}]",
        "",
        "1. draw round1/roll/0 = 3",
        "2. draw round1/roll/1 = 4",
        r'3. "Jörg \"B\"\u202e\udb40\udc01": bid count=1 face=3',
        '4. "12": challenge',
    ]


@pytest.mark.parametrize("name", GAMES)
def test_what_a_rewind_undid_is_no_move_and_the_rewind_is_a_remark(name: str) -> None:
    for luck in range(MOST_REWOUND):
        *_, table = rewound_walk(name, GAMES[name].seats[0], luck, length=40)
        if any(isinstance(record.event, MatchRewound) for record in table.records):
            text = notation(table.match.id, table.records)
            assert "; The match goes back to before position " in text
            return
    pytest.fail("no match was rewound")


def test_of_a_phase_that_was_open_again_to_the_end_a_seat_has_its_last_submission() -> None:
    table = grouped()
    resume(rewind(table, last(table, GroupingEnded))).accepted(1, group(DESCENDING))
    moves = [line for line in lines(notation(table.match.id, table.records)) if ": group" in line]
    assert [move.partition("group ")[2] for move in moves] == [
        "a=[0,1] b=[2,3,4] c=[5,6,7,8]",
        "a=[7,8] b=[4,5,6] c=[0,1,2,3]",
    ]


def test_what_was_refused_is_no_move_and_what_was_invalid_is_one() -> None:
    game = GAMES["together"]
    created = MatchCreated(game.id, game.rules_version, {}, 4, "manual", record="closed")
    table = MatchTable(game, created).when(START)
    rng = Random("refused")
    for _ in range(30):
        seat = rng.choice(table.seats)
        action = any_refusable(table, seat, rng)
        if action is not None and game.misshapen(table.options, 4, action) is None:
            table.when(Act(seat, action, as_sent(action)))
    text = notation(table.match.id, table.records)
    codes = [line.rpartition("!")[2] for line in lines(text) if "!" in line]
    assert codes and set(codes) <= game.codes.keys()
