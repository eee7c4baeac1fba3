"""Random matches of every game with rulings in between: they replay, and are judged again to the
same state."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple, get_args

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.encoding import decode, encode
from domain.events import Event, Record, numbered
from domain.games import GAMES
from domain.match.events import DrawSettled, SealedDrawSettled, SeedCommitted
from domain.match.live import undone
from domain.match.state import Match
from domain.proof.merkle import leaf_hash, root_of
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import rejudge
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    MatchRewound,
    MatchRuled,
    PublicReapplied,
    RewindEvent,
    SeatReapplied,
)
from projections.audience.disclosure import Viewer, audiences
from projections.audience.view import AudienceState, see_live, state_of, view
from tests.domain.match.live_reference import Reference
from tests.support.effort import times
from tests.support.evidence.record_changes import changes_at
from tests.support.tables.match_table import MATCH, MatchTable, replayed
from tests.support.tables.own_events import own_events, own_positions
from tests.support.tables.rewinding_tables import rewound_walk
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
    assert rejudge(MATCH, again) == table.match
    assert table.match.status in ("ended", "void")


@EVERY_GAME
def test_public_rulings_are_counted_without_gaps_and_moderators_know_who_ruled(name: str) -> None:
    for luck in range(10):
        *_, table = ruled_walk(name, GAMES[name].seats[0], luck)
        ruled = [event for event in table.events if isinstance(event, MatchRuled)]
        assert [event.n for event in ruled] == list(range(1, len(ruled) + 1))
        people = [one.people for one in table.match.rulings.past if one.to is not None]
        assert all(people)


# Random matches of every game with rewinds of every kind: they are judged again to the live state,
# and nothing that anyone has seen ever changes (/docs/rulings#going-back).

HISTORIES = times("rewound histories")
EACH = max(1, HISTORIES // len(GAMES))
"""Histories of each game."""


Drawn = DrawSettled | SealedDrawSettled
REWIND_EVENTS: tuple[type[Event], ...] = get_args(RewindEvent)


class History(NamedTuple):
    """A match that is over; what it was after each step, with the number of its records then; and
    the root of its log before each rewind, with its length."""

    table: MatchTable
    steps: Sequence[tuple[int, Match]]
    roots: Mapping[int, bytes]


@lru_cache(maxsize=100)
def history(name: str, luck: int) -> History:
    """A random match, with the fewest seats or one more."""
    seats = GAMES[name].seats
    steps: list[tuple[int, Match]] = []
    roots: dict[int, bytes] = {}
    for table in rewound_walk(name, seats[luck % min(2, len(seats))], luck):
        if any(isinstance(event, MatchRewound) for event in table.new_events):
            before = len(table.records) - len(table.new)
            roots[before] = root_of(leaves(table.records[:before]))
        steps.append((len(table.records), table.match))
    return History(table, steps, roots)


def leaves(records: Sequence[Record[Event]]) -> list[bytes]:
    return [leaf_hash(encode(record)) for record in records]


@EVERY_GAME
def test_the_record_gives_the_live_state(name: str) -> None:
    """Carried along step by step, folded from what is live, and judged again."""
    for luck in range(EACH):
        table, steps, _ = history(name, luck)
        for length, match in steps[:: 1 + luck % 3]:
            assert replayed(table.game, table.records[:length]) == match, luck
            assert all(holds(match.game) for holds in table.game.invariants.values()), luck
        assert replayed(table.game, table.records) == table.match, luck
        assert rejudge(MATCH, table.records) == table.match, luck
        assert table.match.status in ("ended", "void")


@EVERY_GAME
def test_what_is_live_is_the_letter_of_the_contract_for_every_audience(name: str) -> None:
    for luck in range(max(1, EACH // 4)):
        table = history(name, luck).table
        whole, sealed = numbered(table.records), table.game.sealed_phase
        gone = set(undone(whole, sealed))
        assert gone == Reference(whole, sealed).gone()
        for viewer in audiences(table.match.created):
            own = own_events(viewer, table.records)
            positions = own_positions(viewer, table.events)
            assert {positions[seq - 1] for seq in undone(own, sealed)} == gone & set(positions)


@EVERY_GAME
def test_what_anybody_saw_at_a_number_never_changes(name: str) -> None:
    """By positions and by the audience's own numbers the view is the same, and says what the match
    is."""
    for luck in range(max(1, EACH // 4)):
        table, steps, _ = history(name, luck)
        seen: dict[tuple[Viewer, int], bytes] = {}
        for length, match in steps:
            for viewer in audiences(match.created):
                state = seen_by(viewer, table.records[:length])
                status = None if state.course is None else state.course.row.status
                assert (status, state.awaiting) == (match.status, match.awaiting)
                shown = body(name, state)
                assert seen.setdefault((viewer, state.seq), shown) == shown
        for (viewer, seq), shown in list(seen.items())[::5]:
            later = state_of(viewer, enumerate(table.records, 1), seq)
            assert later is not None and body(name, later) == shown


def seen_by(viewer: Viewer, records: Sequence[Record[Event]]) -> AudienceState:
    """What the audience knows, by its own numbers alone."""
    own = own_events(viewer, records)
    return see_live(viewer, [one.number for one in own], [one.record for one in own])


def body(name: str, state: AudienceState) -> bytes:
    return msgspec.json.encode(view(MATCH, name, state))


@EVERY_GAME
def test_the_log_before_a_rewind_is_the_beginning_of_the_log_behind_it(name: str) -> None:
    """What the root of an undone branch proved it proves forever."""
    for luck in range(EACH):
        table, _, roots = history(name, luck)
        stored = leaves([decode(encode(record)) for record in table.records])
        for length, old in roots.items():
            assert old == root_of(stored[:length])


@EVERY_GAME
def test_no_draw_of_an_undone_branch_recurs(name: str) -> None:
    """The name of a draw by the server, `e<epoch>/<id>`, occurs once, and so does its key; by hand
    its id does."""
    for luck in range(EACH):
        table = history(name, luck).table
        names = Counter(drawn_names(table.events))
        keys = Counter(e.key_commit for e in table.events if isinstance(e, Drawn) and e.key_commit)
        assert set(names.values()) <= {1}
        assert set(keys.values()) <= {1}


def drawn_names(events: Sequence[Event]) -> Iterator[str]:
    epoch = 0
    for event in events:
        if isinstance(event, SeedCommitted):
            epoch = event.epoch
        elif isinstance(event, Drawn):
            yield f"e{epoch}/{event.id}" if event.by == "server" else event.id


@EVERY_GAME
def test_a_rewind_dropped_moved_or_altered_is_detected(name: str) -> None:
    table = history(name, 1).table
    rng = Random(name)
    places = [n for n, event in enumerate(table.events) if isinstance(event, REWIND_EVENTS)]
    for place in rng.sample(places, min(len(places), 4)):
        for change in changes_at(table.records, place):
            with pytest.raises(RecordDiffers):
                rejudge(MATCH, change.records)


def test_the_histories_have_rewinds_of_every_kind() -> None:
    """Without them the tests above would show nothing."""
    found: Counter[type[Event]] = Counter()
    for name in GAMES:
        for luck in range(EACH):
            found.update(map(type, history(name, luck).table.events))
    for kind in (ActionStruck, ActionAdmitted, PublicReapplied, SeatReapplied, MatchRewound):
        assert found[kind], kind
    assert found[MatchRewound] > HISTORIES
