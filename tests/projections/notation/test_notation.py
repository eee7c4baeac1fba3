"""The notation: a random match of every game and variant is read back and played to the same
events, views and result, and what cannot be read says where."""

from collections.abc import Iterator
from itertools import groupby
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.games import GAMES
from domain.match.commands import Act
from domain.match.events import Chance
from domain.match.state import AnyGame
from domain.rulings.events import MatchRewound
from projections.audience.disclosure import Viewer, audiences, may_see
from projections.audience.view import AudienceState, see, view
from projections.notation.reading import read_notation
from projections.notation.replaying import MATCH, Replay
from projections.notation.replaying import replay as played_again
from projections.notation.values import NotationError, Scanner, written
from projections.notation.writing import notation
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import any_refusable, as_sent, matches, step
from tests.support.tables.match_table import MatchTable
from tests.support.tables.notated_matches import Records, game_events, lines, played
from tests.support.tables.rewinding_tables import rewound_walk

VARIANTS = [(game.id, number) for game in GAMES.values() for number in range(len(game.variants))]
REWOUND = 6
"""Matches with rewinds, of each game; more until one of them is rewound."""

MOST_REWOUND = 100

EVERY_VARIANT = pytest.mark.parametrize(("name", "variant"), VARIANTS)
CHANCES: tuple[Chance, ...] = ("server", "manual")

UNLIKE = ("deadline", "at", "seq", "public_seq", "body")
"""The fields of views that are times, numbers of events, and actions word for word: a notation
leaves out what has its default."""


def read(text: str) -> Replay:
    return played_again(read_notation(text))


def views(game: AnyGame, viewer: Viewer, records: Records) -> list[Any]:
    """What an audience sees, whenever that changes, without times and numbers."""
    return [shown for shown, _ in groupby(_views(game, viewer, records))]


def _views(game: AnyGame, viewer: Viewer, records: Records) -> Iterator[Any]:
    state = AudienceState(viewer)
    for record in records:
        if may_see(viewer, record.event):
            state = see(state, [record])
            shown = msgspec.to_builtins(view(MATCH, game.id, state))
            yield alike(shown)


def alike(value: Any) -> Any:
    """The value without what differs from match to match."""
    if isinstance(value, dict):
        return {name: alike(one) for name, one in value.items() if name not in UNLIKE}
    return [alike(one) for one in value] if isinstance(value, list | tuple) else value


# There and back.


@pytest.mark.parametrize("chance", CHANCES)
@EVERY_VARIANT
def test_a_match_is_read_back_to_the_same_events_and_result(
    name: str, variant: int, chance: Chance
) -> None:
    table = played(name, variant, chance)
    text = notation(table.match.id, table.records)
    again = read(text)
    assert game_events(table.game, again.records) == game_events(table.game, table.records)
    assert (again.match.game, again.match.result) == (table.match.game, table.match.result)
    assert again.match.created.chance == "manual"
    assert lines(notation(MATCH, again.records)) == lines(text)


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_any_options_are_read_back(name: str, data: st.DataObject) -> None:
    game = GAMES[name]
    table = completed(data.draw(matches(game))).when(START)
    rng = Random(data.draw(st.integers()))
    for _ in range(30):
        if not table.match.over:
            step(table, rng)
    again = read(notation(MATCH, table.records))
    assert again.match.options == table.match.options
    assert again.match.game == table.match.game
    assert game_events(game, again.records) == game_events(game, table.records)


def completed(table: MatchTable) -> MatchTable:
    """The same match with its options complete, as the service records them."""
    game, created = table.game, table.match.created
    options = msgspec.to_builtins(game.complete(table.options, created.seats))
    created = replace(created, options=options, record=game.records[0])
    return MatchTable(game, created, names=table.names)


@EVERY_VARIANT
def test_every_audience_sees_the_same_at_every_position(name: str, variant: int) -> None:
    table = played(name, variant, "server")
    again = read(notation(table.match.id, table.records))
    for viewer in audiences(table.match.created):
        before = views(table.game, viewer, table.records)
        assert views(table.game, viewer, again.records) == before, viewer


@pytest.mark.parametrize("name", GAMES)
def test_every_position_of_a_match_can_be_written_and_read(name: str) -> None:
    """Also a running one, for its moderators; one that has not begun; and one that waits for a
    draw."""
    table = played(name, 0)
    kinds = get_args(table.game.Event)
    for length in range(1 + table.match.created.seats, len(table.records), 31):
        records = table.records[:length]
        again = read(notation(table.match.id, records))
        own = [record.event for record in records if isinstance(record.event, kinds)]
        assert game_events(table.game, again.records)[: len(own)] == own


@pytest.mark.parametrize("name", GAMES)
def test_what_is_live_behind_rewinds_is_read_back(name: str) -> None:
    """Where a sealed phase was opened again and never ended it may end by itself now; everywhere
    else the match comes to the same state."""
    remarked = 0
    for luck in range(MOST_REWOUND):
        if luck >= REWOUND and remarked:
            break
        *_, table = rewound_walk(name, GAMES[name].seats[0], luck, length=40)
        text = notation(table.match.id, table.records)
        again = read(text)
        rewound = any(isinstance(record.event, MatchRewound) for record in table.records)
        phase = table.game.awaits(table.match.game).deadline
        if not (rewound and phase is not None and table.game.sealed_phase(phase.id)):
            assert again.match.game == table.match.game, luck
        remarked += "; The match goes back to before position " in text
    assert remarked


def test_what_was_refused_is_no_move_and_what_was_invalid_is_one() -> None:
    table = MatchTable(GAMES["together"], played("together", 0).match.created, match_id=MATCH).when(
        START
    )
    rng = Random("refused")
    for _ in range(30):
        seat = rng.choice(table.seats)
        action = any_refusable(table, seat, rng)
        if action is not None and table.game.misshapen(table.options, 4, action) is None:
            table.when(Act(seat, action, as_sent(action)))
    codes = [
        line.rpartition("!")[2] for line in lines(notation(MATCH, table.records)) if "!" in line
    ]
    assert codes and set(codes) <= table.game.codes.keys()
    assert read(notation(MATCH, table.records)).match.game == table.match.game


# Values.


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=50)
@given(VALUES)
def test_every_value_is_read_as_it_was_written(value: Any) -> None:
    text = written(value)
    scanner = Scanner(text, 1)
    assert scanner.value() == value
    scanner.finish()
    assert text.isprintable()


# Faults.

DICE = """\
[Notation 1]
[Game liars-dice]
[Rules 1]
[Seat Ann]
[Seat Ben]
[Option dice 1]
[Record opened_at_end]
[Status ended]
[Result {winners:[0],losers:[1],shared:false,scores:[1,0]}]

1. draw round1/roll/0 = 3
2. draw round1/roll/1 = 4
3. Ann: bid count=1 face=3 ; low
4. Ben: challenge
"""
"""A match written by hand: what is left out of the options has its default."""


def test_a_notation_can_be_written_by_hand() -> None:
    again = read(DICE.replace("\n", "\r\n"))
    assert again.match.result is not None and again.match.result.winners == (0,)
    assert again.match.created.options["wild_ones"] is True


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "why"),
    [
        ("[Notation 1]", "[Notation 2]", 1, 11, "expected the notation 1"),
        ("[Notation 1]\n", "", 1, 1, "there is no tag `Notation`"),
        ("liars-dice", "chess", 2, 7, f"expected {', '.join(sorted(GAMES))}"),
        ("[Rules 1]", "[Rules 9]", 3, 8, "expected 1: other rules of liars-dice"),
        ("[Seat Ben]", "[Seat Ben", 5, 10, "expected a value or `]`, not the end of the line"),
        ("dice 1", "dice 9", 1, 1, "options_not_allowed"),
        ("dice 1", "dice", 6, 9, "expected the name of an option and its value"),
        ("[Status ended]", "[Status ended]\n[Status ended]", 9, 1, "already, on line 8"),
        ("[0],losers", "[0,losers", 9, 27, "expected `,` or `]`, not `:[1`"),
        ("winners:[0],losers:[1]", "winners:[1],losers:[0]", 9, 1, "the moves do not give this"),
        ("2. draw", "3. draw", 12, 1, "expected the number of the move, 2, not `3.`"),
        ("2. draw", "2 draw", 12, 2, "expected `.`, not"),
        ("/roll/1 = 4", "/roll/2 = 4", 12, 1, "It waits for the draw round1/roll/1."),
        ("/roll/1 = 4", "/roll/1 = 7", 12, 1, "the rules refuse this (outcome_does_not_fit)"),
        ("/roll/1 = 4", "/roll/1 4", 12, 23, "expected `=`, not `4`"),
        ("Ann: bid", "Anna: bid", 13, 4, "expected a seat (Ann, Ben), `draw` or `end`, not `Anna"),
        ("Ann: bid", '"Ann: bid', 13, 4, "expected a quotation mark at the end"),
        ("Ann: bid", "Ann: raise", 13, 9, "expected an action: bid, challenge, exact, not `raise`"),
        ("face=3", "fase=3", 13, 21, "expected count=, face=, not `fase=3`"),
        ("face=3", "face=8", 13, 9, "this is no action of the game: Invalid enum value 8"),
        ("face=3", "face=3 face=3", 13, 28, "`face` is there already"),
        ("count=1", "count=3", 13, 1, "the rules refuse this (too_many_dice)"),
        ("face=3 ;", "face=3 !late ;", 13, 1, "by the rules this is not invalid (late)"),
        ("Ben: challenge", "Ben: challenge 3", 14, 19, "expected the end of the line, not `3`"),
        ("4. Ben: challenge", "4. end turn3", 14, 1, "No sealed phase is open"),
        ("Ben: challenge\n", "Ben: challenge\n5. Ann: challenge\n", 15, 1, "It is over."),
    ],
)  # fmt: skip
def test_a_fault_names_its_line_and_column_and_what_was_expected(
    old: str, new: str, line: int, column: int, why: str
) -> None:
    with pytest.raises(NotationError) as caught:
        read(DICE.replace(old, new))
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
    assert why in caught.value.why


@pytest.mark.parametrize("text", ["", "\n", "[" * 99, "1. draw", "\x00", "[Notation " + "[" * 99])
def test_what_is_no_notation_at_all_is_a_fault(text: str) -> None:
    with pytest.raises(NotationError):
        read(text)
