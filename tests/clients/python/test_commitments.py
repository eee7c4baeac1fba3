"""A service that exchanges its commitment to the seed between showing it and answering."""

from base64 import b64encode
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from arbiter_client import Event, HistoryWentBack, Match, Retries, WrongCommitment
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.asynchronous.transport import Channel
from arbiter_client.blocking import Service
from arbiter_client.requests import Answer
from domain.encoding import encode
from domain.events import Record
from domain.match.events import SeedCommitted
from projections.audience.lines import line
from tests.clients.python.test_logic import RECEIPT, SEEN, VIEW
from tests.clients.scripted_transport import (
    CREATION,
    ScriptedChannel,
    ScriptedTransport,
    creation_note,
    problem,
    receipt_note,
)

ACTION = {"type": "keep"}
AT = 1_795_269_600_000_165
OTHER = "B" * 43 + "="
END = Answer(200, {}, b'{"events":[],"next":null}')


def record(epoch: int, commit: bytes = b"c" * 32) -> Record[Any]:
    committed = SeedCommitted(
        epoch, "arbiter-rng/1", commit, b"r" * 32, b"o" * 32, (b"a" * 32, b"b" * 32)
    )
    return Record(AT, 1, committed)


def named(epoch: int, commit: bytes = b"c" * 32) -> str:
    """What receipts name the commitment by."""
    return b64encode(sha256(encode(record(epoch, commit))).digest()).decode()


def shown(seq: int, epoch: int, commit: bytes = b"c" * 32) -> Any:
    """The commitment as an event that the seat is told."""
    return msgspec.to_builtins(line(seq, seq, record(epoch, commit)))


def page(*events: Any) -> Answer:
    return Answer(200, {}, msgspec.json.encode({"events": events, "next": None}))


def taken(note: str | None, seq: int = 9) -> Answer:
    receipt = {**RECEIPT, "seq": seq, "note": note}
    return Answer(201, {}, msgspec.json.encode({"receipt": receipt, "view": VIEW}))


def match_over(transport: ScriptedTransport) -> Match:
    return Service(Calls(transport, "arb_s0_key", Retries(attempts=1))).match("m")


def told(match: Match) -> list[Event]:
    return list(match.follow())


def test_the_hash_of_an_event_is_that_of_the_other_client() -> None:
    """`tests/clients/typescript/commitments.test.mjs` has the same."""
    assert named(1) == "JKVWb2nQeDKIQ8DbevW29ZTYGyOak4T1ZMFltKNKLXQ="
    assert named(0) == "T0aCyPB32hqpy00l4g3vSiihNd/O9G6/aVELbVq7gOc="


def test_a_receipt_that_names_the_commitment_of_the_note_is_taken() -> None:
    transport = ScriptedTransport([taken(receipt_note(0, 9))])
    assert match_over(transport).act(ACTION).receipt.seq == 9
    assert len(transport.requests) == 1, "nothing is read but the note"


@pytest.mark.parametrize(
    "note",
    [
        receipt_note(0, 9, OTHER),
        receipt_note(0, 9, "-"),
        receipt_note(0, 9, match="n"),
        receipt_note(1, 9),
        receipt_note(0, 8),
        "nothing",
        None,
    ],
)
def test_another_receipt_is_an_alarm_that_keeps_the_evidence(note: str | None) -> None:
    match = match_over(ScriptedTransport([taken(note), END]))
    with pytest.raises(WrongCommitment) as alarm:
        match.act(ACTION)
    assert alarm.value.note == CREATION and alarm.value.event is None
    assert alarm.value.receipt is not None and alarm.value.receipt.note == note
    assert match.receipts == [alarm.value.receipt]


def test_the_receipt_of_a_refusal_is_checked() -> None:
    receipt = {**RECEIPT, "note": receipt_note(0, 4, OTHER)}
    with pytest.raises(WrongCommitment):
        match_over(ScriptedTransport([problem(422, "no", receipt=receipt), END])).act(ACTION)


def test_the_receipt_of_a_seed_is_checked_against_what_was_shown_before() -> None:
    """Before the seed the events are read, so what they show later does not help."""
    match = match_over(ScriptedTransport([END, taken(receipt_note(0, 9)), END]))
    assert match.seed("dice")
    match = match_over(
        ScriptedTransport(
            [page(shown(5, 1)), taken(receipt_note(0, 9, named(1, b"x" * 32))), page()]
        )
    )
    with pytest.raises(WrongCommitment) as alarm:
        match.seed("dice")
    assert alarm.value.event is not None and alarm.value.event.seq == 5


def test_the_note_must_be_of_the_commitment_in_the_events() -> None:
    first = shown(2, 0)
    for honest in (True, False):
        note = creation_note(named(0)) if honest else CREATION
        streams = [ScriptedChannel([first, {"end": True, "seq": 2}])]
        match = match_over(ScriptedTransport([], streams, note))
        assert [event.seq for event in told(match)] == [2]
        if honest:
            assert match.note() == note
        else:
            with pytest.raises(WrongCommitment) as alarm:
                match.note()
            assert alarm.value.event is not None and alarm.value.note == note


def test_behind_a_rewind_the_receipt_names_the_commitment_of_the_new_epoch() -> None:
    streams = [ScriptedChannel([shown(12, 1), {"end": True, "seq": 12}])]
    answers = [
        taken(receipt_note(0, 9), 9),
        taken(receipt_note(0, 14, named(1)), 14),
        taken(receipt_note(0, 14), 14),
        END,
    ]
    match = match_over(ScriptedTransport(answers, streams))
    told(match)
    assert match.act(ACTION), "it was recorded before the rewind, and is repeated"
    assert match.act(ACTION)
    with pytest.raises(WrongCommitment) as alarm:
        match.act(ACTION)
    assert alarm.value.event is not None and alarm.value.event.seq == 12


def test_a_rewind_that_was_not_heard_of_is_read() -> None:
    transport = ScriptedTransport([taken(receipt_note(0, 14, named(1)), 14), page(shown(12, 1))])
    assert match_over(transport).act(ACTION)
    assert transport.requests[-1].query == {"after": 2, "limit": 1000}


def test_a_commitment_that_comes_behind_the_action_is_no_excuse() -> None:
    transport = ScriptedTransport([taken(receipt_note(0, 9, named(1)), 9), page(shown(12, 1))])
    with pytest.raises(WrongCommitment):
        match_over(transport).act(ACTION)


def test_an_event_that_is_told_otherwise_is_an_alarm() -> None:
    twice = [
        ScriptedChannel([shown(12, 1, commit), {"end": True, "seq": 12}])
        for commit in (b"c" * 32, b"d" * 32)
    ]
    match = match_over(ScriptedTransport([], twice))
    told(match)
    with pytest.raises(WrongCommitment):
        told(match)


def test_a_backup_goes_back_behind_a_rewind_and_never_behind_the_note() -> None:
    streams: list[Answer | Channel] = [
        ScriptedChannel([shown(12, 1), {"end": True, "seq": 12}]),
        problem(409, "history_went_back"),
        ScriptedChannel([shown(12, 1, b"d" * 32), {"end": True, "seq": 12}]),
    ]
    match = match_over(ScriptedTransport([taken(receipt_note(0, 9, OTHER)), END], streams))
    match.note()
    told(match)
    with pytest.raises(HistoryWentBack):
        told(match)
    told(match)
    with pytest.raises(WrongCommitment):
        match.act(ACTION, if_match=SEEN)
