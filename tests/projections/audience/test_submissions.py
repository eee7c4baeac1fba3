"""What became of submissions, and the receipts for them, from records written by hand."""

from collections.abc import Sequence

import pytest
from msgspec import UNSET

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
from domain.proof.receipts import Binding, ReceiptText
from domain.proof.subjects import of_match
from projections.audience.submissions import (
    AnsweredAction,
    Answers,
    InputOutcome,
    Submission,
    game_note,
    receipt_text,
    remember,
    submissions,
    turned_down,
)

AT = 1_767_268_800_000_000
MATCH = "0199aa00-0000-7000-8000-000000000000"
BID = ActionReceived(1, {"type": "bid"})
DONE = NameSalted(1, b"consequence")
INPUTS = (ActionReceived, ClientSeedGiven, DeadlinePassed, MatchStarted)


def recorded(events: Sequence[Event]) -> list[Record[Event]]:
    """Each input a second later than the event before it, and its consequences."""
    records: list[Record[Event]] = []
    begun = 0
    for index, event in enumerate(events):
        begun = index if isinstance(event, INPUTS) else begun
        records.append(Record(AT + index * 1_000_000, index - begun, event))
    return records


def found(*events: Event, phase: str | None = None) -> list[Submission]:
    return list(submissions(enumerate(recorded(events), 1), phase))


def outcomes(*events: Event, phase: str | None = None) -> list[InputOutcome]:
    return [made.outcome for made in found(*events, phase=phase)]


# What became of them.


def test_a_submission_begins_with_its_input_and_ends_with_its_last_consequence() -> None:
    assert outcomes(MatchStarted(), BID, DONE, DONE) == [InputOutcome(AT + 1_000_000, 2, 4)]


def test_a_submission_without_consequences_ends_where_it_begins() -> None:
    assert outcomes(BID) == [InputOutcome(AT, 1, 1)]


def test_where_nothing_was_submitted_nothing_is_found() -> None:
    assert found() == found(MatchStarted(), DONE) == []


def test_the_next_input_of_any_kind_ends_a_submission() -> None:
    after = outcomes(BID, DONE, DeadlinePassed("bids"), DONE, BID, BID, DONE, DONE)
    assert [(one.position, one.end) for one in after] == [(1, 2), (5, 5), (6, 8)]


def test_a_submission_has_its_index_in_the_log_counted_from_0() -> None:
    assert [made.index for made in found(MatchStarted(), BID, DONE, BID)] == [1, 3]


@pytest.mark.parametrize(
    ("consequence", "code", "refused"),
    [
        (ActionRefused(1, "not_now"), "not_now", True),
        (SubmissionInvalid(1, "no_votes"), "no_votes", False),
        (DONE, None, False),
    ],
)
def test_the_first_consequence_says_whether_an_action_counts(
    consequence: Event, code: str | None, refused: bool
) -> None:
    assert outcomes(BID, consequence, DONE) == [InputOutcome(AT, 1, 3, code, refused)]


@pytest.mark.parametrize("event", [ActionRefused(0, "no"), DrawRefused("coin", ("edge",), "no")])
def test_what_is_refused_was_not_submitted(event: Event) -> None:
    assert turned_down([event]) == ("no", True)


def test_a_later_consequence_does_not_say_whether_an_action_counts() -> None:
    assert outcomes(BID, DONE, ActionRefused(1, "not_now")) == [InputOutcome(AT, 1, 3)]


def test_a_client_seed_always_counts_and_belongs_to_no_phase() -> None:
    seed = ClientSeedGiven(0, "dice")
    given = outcomes(seed, ActionRefused(0, "never"), seed, phase="bids")
    assert given == [InputOutcome(AT, 1, 2), InputOutcome(AT + 2_000_000, 3, 3)]


def test_a_submission_belongs_to_the_phase_that_was_open_before_it() -> None:
    opened, closed = AwaitingChanged((1,), phase="bids"), AwaitingChanged()
    phases = [one.phase for one in outcomes(BID, opened, BID, closed, BID, phase="before")]
    assert phases == ["before", "bids", None]


def test_a_game_notes_on_a_submission_what_its_first_consequence_says() -> None:
    made = SubmissionMade(1, (0,), None, False, supersedes="b")
    assert game_note([made]) == Note("b")
    assert [one.game_note for one in outcomes(BID, made)] == [Note("b")]
    assert [one.game_note for one in outcomes(BID, DONE, made)] == [None]


def test_on_most_submissions_there_is_no_note() -> None:
    unset = SubmissionMade(1, (0,), None, False)
    assert unset.supersedes is UNSET
    assert game_note([unset]) is None
    assert game_note([DONE]) is None


# The sender's own count.


def test_a_submission_counts_what_its_sender_may_see() -> None:
    others = ActionReceived(0, {"type": "bid"})
    hidden = DrawRefused("coin", ("edge",), "no")
    counts = [
        (made.event.seat, made.count)
        for made in found(MatchStarted(), others, hidden, DONE, BID, DONE, hidden, BID, others)
    ]
    assert counts == [(0, 2), (1, 3), (1, 5), (0, 3)]


def test_a_public_submission_is_in_its_senders_count_once() -> None:
    seed = ClientSeedGiven(1, "dice")
    assert [made.count for made in found(MatchStarted(), seed, seed, BID)] == [2, 3, 4]


# The index of idempotency keys.


def keyed(key: str | None, fingerprint: bytes | None = b"f", seat: int = 1) -> ActionReceived:
    return ActionReceived(seat, {"type": "bid"}, key, fingerprint)


def remembered(*events: Event, position: int = 0, phase: str | None = None) -> Answers:
    answers: Answers = {}
    remember(answers, recorded(events), position, phase)
    return answers


def test_an_action_is_remembered_by_its_seat_and_key() -> None:
    made = remembered(keyed("k"), SubmissionInvalid(1, "late"), DONE, keyed("k", seat=0), DONE)
    assert made == {
        (1, "k"): AnsweredAction(AT, 1, 3, "late", False, None, None, None, b"f"),
        (0, "k"): AnsweredAction(AT + 3_000_000, 4, 5, None, False, None, None, None, b"f"),
    }


def test_the_first_record_of_a_match_is_at_position_1() -> None:
    answers: Answers = {}
    remember(answers, recorded([keyed("k")]))
    assert answers[1, "k"].position == 1


def test_it_is_remembered_at_its_position_and_in_its_phase() -> None:
    made = SubmissionMade(1, (0,), None, False, supersedes="b")
    assert remembered(keyed("k"), made, position=40, phase="votes") == {
        (1, "k"): AnsweredAction(AT, 41, 42, None, False, "votes", Note("b"), None, b"f")
    }


def test_the_first_action_under_a_key_counts() -> None:
    again = remembered(keyed("k", b"1"), DONE, keyed("k", b"2"), ActionRefused(1, "key_reused"))
    assert again == {(1, "k"): AnsweredAction(AT, 1, 2, None, False, None, None, None, b"1")}


def test_without_a_key_nothing_is_remembered() -> None:
    assert remembered(keyed(None), DONE, ClientSeedGiven(1, "dice")) == {}


def test_an_empty_key_is_a_key() -> None:
    assert list(remembered(keyed(""), ActionRefused(1, "not_now"))) == [(1, "")]


# Receipts.

BINDING = Binding(bytes(range(32)), bytes(range(32, 64)), bytes(32), bytes(32))


@pytest.mark.parametrize(
    ("event", "recorded_at", "key"),
    [
        (keyed("k"), "2026-01-01T12:00:00Z", "k"),
        (keyed(None), "2026-01-01T12:00:00Z", None),
        (ActionReceived(1, {}, "k", b"f", AT + 7_000_000), "2026-01-01T12:00:07Z", "k"),
        (ClientSeedGiven(1, "dice"), "2026-01-01T12:00:00Z", None),
    ],
)
def test_a_receipt_says_what_was_submitted_when_and_what_became_of_it(
    event: ActionReceived | ClientSeedGiven, recorded_at: str, key: str | None
) -> None:
    late = event.recorded if isinstance(event, ActionReceived) else UNSET
    outcome = InputOutcome(AT, 9, 11, "late", False, "votes", recorded=late or None)
    made = Submission(event, 5, outcome)
    received = "2026-01-01T12:00:00Z"
    assert made.receipt(MATCH, BINDING) == ReceiptText(
        of_match(MATCH), 1, 5, "votes", received, recorded_at, "invalid late", key, BINDING
    )


@pytest.mark.parametrize(
    ("code", "refused", "status"),
    [
        (None, False, "accepted"),
        ("late", False, "invalid late"),
        ("not_now", True, "refused not_now"),
    ],
)
def test_a_receipt_says_accepted_invalid_or_refused(
    code: str | None, refused: bool, status: str
) -> None:
    outcome = InputOutcome(AT, 1, 2, code, refused)
    text = receipt_text(MATCH, 0, 1, outcome, None, BINDING)
    assert (text.status, text.phase) == (status, None)


def test_an_instant_of_the_record_counts_even_if_it_is_the_first_of_all() -> None:
    text = receipt_text(MATCH, 0, 1, InputOutcome(AT, 1, 1, recorded=0), None, BINDING)
    assert (text.received, text.recorded) == ("2026-01-01T12:00:00Z", "1970-01-01T00:00:00Z")
