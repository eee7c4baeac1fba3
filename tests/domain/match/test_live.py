"""Rulings, section 1: what is live in a record, for everyone and for each audience.

The records are made of batches of a game that does not exist, in which `open` and `late` are sealed
phases of two seats.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.events import PUBLIC, Event, Numbered, batch, numbered
from domain.events import Record as StoredRecord
from domain.games.together.events import RoundBegan, SubmissionMade
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    DeadlinePassed,
    Directed,
    MatchPaused,
    MatchStarted,
    SeatNamed,
    SeedCommitted,
    SubmissionInvalid,
)
from domain.match.key_events import SeatKeyIssued
from domain.match.live import standing, undone
from domain.rulings.events import (
    ActionStruck,
    MatchRewound,
    MatchRuled,
    PublicNoted,
    RewindOrdered,
    RulingOrdered,
    SealedNoted,
    SeatNoted,
    SeatReplaced,
)
from domain.rulings.kinds import Change, Note, PauseMatch, Rewind, Ruling, kind_of
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.domain.match.live_reference import Reference
from tests.support.tables.own_events import own_events, own_positions

VIEWERS: tuple[Viewer, ...] = (PUBLIC_VIEWER, MODERATOR, 0, 1)
BY = Directed("Eve", "key-eve")


def sealed(phase: str) -> bool:
    return phase in ("open", "late")


@dataclass
class Record:
    """A record in the making. Every method adds a batch; `last` is the position of its first
    event."""

    records: list[StoredRecord[Event]] = field(default_factory=lambda: batch([MatchStarted()], 0))
    last: int = 1
    branch: int = 0

    def put(self, *given: Event) -> Self:
        self.last = len(self.records) + 1
        self.records += batch(given, 0)
        return self

    def waits(self, phase: str | None) -> Self:
        """The phase before ends, and this one begins."""
        return self.put(DeadlinePassed("x"), RoundBegan(1), AwaitingChanged((0, 1), None, phase))

    def submits(self, seat: int) -> Self:
        return self.put(ActionReceived(seat, {}), SubmissionMade(seat, None, None, False))

    def closing(self, seat: int) -> Self:
        """A submission after which the phase ends at once."""
        made = SubmissionMade(seat, None, None, False)
        return self.put(ActionReceived(seat, {}), made, RoundBegan(2), AwaitingChanged((0,)))

    def moves(self, seat: int) -> Self:
        """An action that everyone sees."""
        return self.put(ActionReceived(seat, {}), RoundBegan(3), AwaitingChanged((1 - seat,)))

    def ruled(self, ruling: Ruling, *effect: Event) -> Self:
        ruled = MatchRuled(1, kind_of(ruling), "because", None, None)
        return self.put(ruled, BY, RulingOrdered("r", ruling, None), *effect)

    def rewinds(self, before: int, *struck: ActionStruck) -> Self:
        """To before the batch that begins at this position."""
        self.branch += 1
        waits = self._awaited(before)
        return self.ruled(
            Rewind(before),
            MatchRewound(self.branch, before),
            RewindOrdered((), "none"),
            MatchPaused(),
            waits,
            *struck,
        )

    def strikes(self, seat: int, of: int) -> Self:
        """In the sealed phase that is open."""
        ruling = Rewind(None, (Change(strike=of),))
        return self.put(BY, RulingOrdered("r", ruling, None), ActionStruck(seat, of))

    @property
    def events(self) -> list[Event]:
        return [record.event for record in self.records]

    @property
    def numbered(self) -> list[Numbered]:
        return numbered(self.records)

    @property
    def gone(self) -> set[int]:
        return set(undone(self.numbered, sealed))

    def _awaited(self, before: int) -> AwaitingChanged:
        """For whom the match waits where it goes on."""
        rewound = StoredRecord(0, 0, MatchRewound(1, before))
        gone = undone([*self.numbered, Numbered(10**6, 10**6, rewound)], sealed)
        left = (one.event for one in self.numbered if one.number not in gone)
        waits = [event for event in left if isinstance(event, AwaitingChanged)]
        return waits[-1] if waits else AwaitingChanged()


# What a rewind undoes.


OF_NO_BRANCH: tuple[Event, ...] = (
    SeatKeyIssued(0, "key"),
    BY,
    PublicNoted("as it stands", "uphold"),
    SeatNoted(0, "as it stands", "uphold"),
    SealedNoted("as it stands", "uphold"),
    MatchRuled(1, "note", "because", None, None),
    RulingOrdered("r", Note("public", "as it stands", "uphold"), None),
    SeatReplaced(0),
    SeatNamed(0, "Zoe", bytes(16)),
    SeedCommitted(1, "s", b"", b"", b"", ()),
    ClientSeedGiven(0, "seed"),
)


@pytest.mark.parametrize("event", OF_NO_BRANCH, ids=lambda event: type(event).__name__)
def test_what_is_of_no_branch_is_never_undone(event: Event) -> None:
    before = (record := Record().moves(0)).moves(1).last
    kept = record.put(event).last
    assert kept not in record.rewinds(before).gone
    assert kept not in record.rewinds(before).rewinds(before).gone


# Sealed phases.


def test_a_struck_submission_does_not_stand_and_the_one_before_it_does_again() -> None:
    first = (record := Record().waits("open")).submits(0).last
    second = record.submits(0).last
    record.strikes(0, second)
    assert record.gone == {second, second + 1}
    assert standing(record.numbered, sealed) == {first}


# The same for everyone.


def check_everybody(record: Record) -> None:
    """What the filter leaves is what the contract says, in the whole record and in each audience's
    own list, by its own numbers and by positions."""
    whole = record.numbered
    gone = set(undone(whole, sealed))
    assert gone == Reference(whole, sealed).gone()
    for viewer in VIEWERS:
        positions = own_positions(viewer, record.events)
        expected = {seq for seq, position in enumerate(positions, 1) if position in gone}
        own = own_events(viewer, record.records)
        assert set(undone(own, sealed)) == expected == Reference(own, sealed).gone()
        placed = [whole[position - 1] for position in positions]
        assert set(undone(placed, sealed)) == gone & set(positions)


STEPS: Mapping[str, Callable[[Record, int], Record]] = {
    "move": Record.moves,
    "submit": Record.submits,
    "submit again": Record.submits,
    "submit in vain": lambda record, seat: record.put(
        ActionReceived(seat, {}), SubmissionInvalid(seat, "late")
    ),
    "refused": lambda record, seat: record.put(ActionReceived(seat, {}), ActionRefused(seat, "no")),
    "close": Record.closing,
    "open": lambda record, _: record.waits("open"),
    "late": lambda record, _: record.waits("late"),
    "nothing": lambda record, _: record.waits(None),
    "note": lambda record, _: record.ruled(
        Note("public", "x", "uphold"), PublicNoted("x", "uphold")
    ),
    "whisper": lambda record, seat: record.put(SeatNoted(seat, "x", "uphold")),
    "pause": lambda record, _: record.ruled(PauseMatch(), MatchPaused()),
}
NAMES = (*STEPS, "strike", *("rewind",) * 4)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), steps=st.lists(st.sampled_from(NAMES), min_size=3, max_size=25))
def test_the_filter_is_the_letter_of_the_contract_for_every_audience(
    data: st.DataObject, steps: list[str]
) -> None:
    record, batches = Record(), [1]
    for step in steps:
        _add(record, batches, step, data)
        batches.append(record.last)
    check_everybody(record)


def _add(record: Record, batches: list[int], step: str, data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, 1))
    if step == "strike":
        _strike(record, data)
    elif step == "rewind":
        _rewind(record, batches, data)
    else:
        STEPS[step](record, seat)


def _strike(record: Record, data: st.DataObject) -> None:
    made = sorted(standing(record.numbered, sealed))
    if made:
        of = data.draw(st.sampled_from(made))
        record.strikes(record.events[of - 1].seat, of)  # type: ignore[attr-defined]


def _rewind(record: Record, batches: list[int], data: st.DataObject) -> None:
    """To before a batch with a public event that is live."""
    ends = [*batches[1:], len(record.events) + 1]
    gone = record.gone
    possible = [
        start
        for start, end in zip(batches, ends, strict=True)
        if start > 1
        and any(
            n not in gone and record.events[n - 1].audience == PUBLIC for n in range(start, end)
        )
    ]
    if possible:
        record.rewinds(data.draw(st.sampled_from(possible)))
