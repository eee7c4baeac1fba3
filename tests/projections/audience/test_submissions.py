"""What became of submissions, from records written by hand. Receipts for them are judged with
bundles."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games.together.events import Note, SubmissionMade
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    DeadlinePassed,
    DrawRefused,
    MatchStarted,
    NameSalted,
    SubmissionInvalid,
)
from domain.proof.subjects import of_match
from projections.audience.submissions import AnsweredAction, Answers, remember, turned_down
from projections.evidence.seen import SeenChains

AT = 1_767_268_800_000_000
BID = ActionReceived(1, {"type": "bid"})
DONE = NameSalted(1, b"consequence")
SEED = ClientSeedGiven(0, "dice")
NOTED = SubmissionMade(1, (0,), None, False, supersedes="b")
UNNOTED = SubmissionMade(1, (0,), None, False)
REFUSED, INVALID = ActionRefused(1, "not_now"), SubmissionInvalid(1, "no_votes")
OPENED, CLOSED = AwaitingChanged((1,), phase="bids"), AwaitingChanged()
INPUTS = (ActionReceived, ClientSeedGiven, DeadlinePassed, MatchStarted)


def recorded(events: Sequence[Event]) -> list[Record[Event]]:
    """Each input a second later than the event before it, and its consequences."""
    records: list[Record[Event]] = []
    begun = 0
    for index, event in enumerate(events):
        begun = index if isinstance(event, INPUTS) else begun
        records.append(Record(AT + index * 1_000_000, index - begun, event))
    return records


def found(*events: Event) -> list[AnsweredAction]:
    """What became of the actions among these events, each under a key of its own."""
    keyed = [
        replace(one, key=str(n)) if isinstance(one, ActionReceived) else one
        for n, one in enumerate(events)
    ]
    answers: Answers = {}
    remember(answers, recorded(keyed), 0, "before")
    return list(answers.values())


def outcome(
    position: int, end: int, phase: str | None = "before", **more: object
) -> AnsweredAction:
    at = AT + (position - 1) * 1_000_000
    return AnsweredAction(at, position, end, phase=phase, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("events", "outcomes"),
    [
        ((), []),
        ((MatchStarted(), DONE), []),
        ((BID,), [outcome(1, 1)]),
        ((MatchStarted(), BID, DONE, DONE), [outcome(2, 4)]),
        ((BID, DONE, DeadlinePassed("x"), DONE, BID, BID, DONE),
         [outcome(1, 2), outcome(5, 5), outcome(6, 7)]),
        ((BID, REFUSED, DONE), [outcome(1, 3, code="not_now", refused=True)]),
        ((BID, INVALID, DONE), [outcome(1, 3, code="no_votes")]),
        ((BID, DONE, REFUSED), [outcome(1, 3)]),
        ((BID, OPENED, BID, CLOSED, BID),
         [outcome(1, 2), outcome(3, 4, "bids"), outcome(5, 5, None)]),
        ((BID, NOTED), [outcome(1, 2, game_note=Note("b"))]),
        ((BID, UNNOTED), [outcome(1, 2)]),
        ((BID, DONE, NOTED), [outcome(1, 3)]),
    ],
)  # fmt: skip
def test_the_first_consequence_says_what_became_of_a_submission(
    events: Sequence[Event], outcomes: list[AnsweredAction]
) -> None:
    assert found(*events) == outcomes


def test_what_is_refused_was_not_submitted() -> None:
    assert turned_down([DrawRefused("coin", ("edge",), "no")]) == ("no", True)


def test_a_submission_counts_what_its_sender_may_see_a_public_one_once() -> None:
    others, hidden = ActionReceived(0, {"type": "bid"}), DrawRefused("coin", ("edge",), "no")
    events = MatchStarted(), others, hidden, DONE, BID, DONE, hidden, BID, others, SEED
    chains = SeenChains(of_match("m"), ())
    for index, record in enumerate(recorded(events)):
        chains.add(index, record, b"", b"", None)
    chains.conclude()
    assert [(one.receiver, one.count) for one in chains.inputs] == [
        (0, 2), (1, 3), (1, 5), (0, 3), (0, 4)
    ]  # fmt: skip


# The index of idempotency keys.


def keyed(key: str | None, fingerprint: bytes | None = b"f", seat: int = 1) -> ActionReceived:
    return ActionReceived(seat, {"type": "bid"}, key, fingerprint)


def test_the_first_action_of_a_seat_under_a_key_is_remembered() -> None:
    answers: Answers = {}
    events = keyed("k"), NOTED, keyed("k", b"2"), REFUSED, keyed("", None, 0), keyed(None), SEED
    remember(answers, recorded(events), 40, "votes")
    assert answers == {
        (1, "k"): AnsweredAction(AT, 41, 42, None, False, "votes", Note("b"), None, b"f"),
        (0, ""): AnsweredAction(AT + 4_000_000, 45, 45, phase="votes"),
    }
    remember(first := Answers(), recorded([keyed("k")]))
    assert first[1, "k"].position == 1
