"""Random matches of every game with rulings in between: they replay, and are judged again to the
same state."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.encoding import decode, encode
from domain.games import GAMES
from domain.proof.rejudging import judged
from domain.rulings.events import MatchRuled
from tests.support.effort import times
from tests.support.tables.match_table import MATCH, replayed
from tests.support.tables.ruling_tables import ruled_walk

EVERY_GAME = pytest.mark.parametrize("name", GAMES)
EXAMPLES = times("matches")


@EVERY_GAME
@settings(max_examples=EXAMPLES, deadline=None)
@given(luck=st.integers(0, 10**6), length=st.integers(0, 80))
@example(luck=554028, length=56).via("a seat is replaced by the ruling that closes the last case")
def test_a_match_with_rulings_replays_and_is_judged_again(
    name: str, luck: int, length: int
) -> None:
    *_, table = ruled_walk(name, GAMES[name].seats[0], luck, length)
    assert replayed(table.game, table.records) == table.match
    stored = [encode(record) for record in table.records]
    again = list(map(decode, stored))
    assert list(map(encode, again)) == stored
    assert judged(MATCH, again) == table.match
    assert table.match.status in ("ended", "void")


@EVERY_GAME
def test_public_rulings_are_counted_without_gaps_and_moderators_know_who_ruled(name: str) -> None:
    for luck in range(10):
        *_, table = ruled_walk(name, GAMES[name].seats[0], luck)
        ruled = [event for event in table.events if isinstance(event, MatchRuled)]
        assert [event.n for event in ruled] == list(range(1, len(ruled) + 1))
        people = [one.people for one in table.match.rulings.past if one.to is not None]
        assert all(people)
