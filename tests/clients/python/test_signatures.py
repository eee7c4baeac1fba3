"""Receipts and notes of a creation, by keys that the service publishes and by others."""

import os
import subprocess
import sys

import msgspec
import pytest

from arbiter_client import Match, Retries, SignaturesNotChecked, Taken, WrongSignature, signed_notes
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.blocking import Service
from arbiter_client.requests import Answer
from arbiter_client.signed_notes import is_signed
from service.signing.signing_keys import Signer
from tests.clients.python.test_logic import RECEIPT, VIEW
from tests.clients.scripted_transport import (
    CREATION,
    HASH,
    SIGNER,
    ScriptedTransport,
    creation_note,
    problem,
    receipt_note,
)

ACTION = {"type": "keep"}
OLD, OTHER = Signer("s/receipts", b"o" * 32), Signer("s/receipts", b"x" * 32)
OF_LOGS = Signer("s/log", b"s" * 32)

KEYS = [str(SIGNER.verifier), str(OF_LOGS.verifier)]
NOTE = receipt_note(0, 9)


def altered(note: str, old: str, new: str) -> str:
    assert note.count(old) == 1
    return note.replace(old, new)


UNSIGNED = {
    "a byte of its text": altered(NOTE, "\nphase -\n", "\nphase _\n"),
    "a byte of its signature": NOTE[:-8] + ("A" if NOTE[-8] != "A" else "B") + NOTE[-7:],
    "the name of its key": altered(NOTE, "— s/receipts ", "— r/receipts "),
    "another key": receipt_note(0, 9, signer=OTHER),
    "a key of logs": receipt_note(0, 9, signer=OF_LOGS),
    "no signature": NOTE[: NOTE.index("\n\n") + 1],
    "no end": NOTE[:-1],
    "too many signatures": NOTE + NOTE[NOTE.index("— ") :] * 16,
}


def taken(note: str, **more: object) -> Answer:
    receipt = {**RECEIPT, "seq": 9, "note": note, **more}
    return Answer(201, {}, msgspec.json.encode({"receipt": receipt, "view": VIEW}))


def match_over(transport: ScriptedTransport) -> Match:
    return Service(Calls(transport, "arb_s0_key", Retries(attempts=1))).match("m")


def acted(transport: ScriptedTransport) -> Taken:
    return match_over(transport).act(ACTION)


def test_a_note_is_signed_by_a_key_of_receipts() -> None:
    assert is_signed(NOTE, KEYS) and is_signed(CREATION, KEYS)
    assert is_signed(NOTE, ["nothing", "s/receipts+00+AQ==", *KEYS])
    assert is_signed(NOTE + OTHER.sign("other\n").rpartition("\n\n")[2], KEYS), "beside another"
    assert not is_signed(NOTE, [])


@pytest.mark.parametrize("what", UNSIGNED)
def test_what_no_published_key_has_signed_is_an_alarm(what: str) -> None:
    note = UNSIGNED[what]
    assert not is_signed(note, KEYS)
    match = match_over(ScriptedTransport([taken(note)]))
    with pytest.raises(WrongSignature) as alarm:
        match.act(ACTION)
    assert alarm.value.receipt == match.receipts[0] and alarm.value.receipt.note == note
    assert alarm.value.note == CREATION


def test_a_key_that_was_rotated_is_published_and_counts() -> None:
    transport = ScriptedTransport([taken(receipt_note(0, 9, signer=OLD))], signers=[(OLD, SIGNER)])
    assert acted(transport).receipt.valid


def test_a_key_that_is_new_is_read_once_it_is_met() -> None:
    note = creation_note(signer=OLD)
    transport = ScriptedTransport([taken(NOTE)] * 2, note=note, signers=[(OLD,), (OLD, SIGNER)])
    match = match_over(transport)
    assert match.act(ACTION).receipt.valid and match.act(ACTION).receipt.valid
    assert transport.key_requests == 2


def test_the_note_of_the_creation_and_refusals_and_orders_are_checked() -> None:
    with pytest.raises(WrongSignature) as alarm:
        match_over(ScriptedTransport(note=creation_note(signer=OTHER))).note()
    assert alarm.value.receipt is None
    receipt = {**RECEIPT, "note": receipt_note(0, 4, signer=OTHER)}
    with pytest.raises(WrongSignature):
        acted(ScriptedTransport([problem(422, "no", receipt=receipt)]))
    order = receipt_note("moderator", 9, HASH)
    assert match_over(ScriptedTransport([taken(order, seat=None)])).start()
    forged = receipt_note("moderator", 9, HASH, signer=OTHER)
    with pytest.raises(WrongSignature):
        match_over(ScriptedTransport([taken(forged, seat=None)])).start()


def test_the_receipt_of_a_ruling_is_checked() -> None:
    ruled = {"ruling": "r", "n": 1, "kind": "pause", "status": "carried_out"}
    notes = [receipt_note("moderator", 9, HASH, signer=signer) for signer in (SIGNER, OTHER)]
    answers = [Answer(201, {}, msgspec.json.encode({**ruled, "note": note})) for note in notes]
    match = match_over(ScriptedTransport([*answers, answers[1]]))
    assert match.rule({"kind": "pause"}).n == 1
    with pytest.raises(WrongSignature) as alarm:
        match.rule({"kind": "pause"})
    assert alarm.value.note == notes[1]
    with pytest.raises(WrongSignature):
        match.second("r", if_match="*")


def test_without_the_package_it_is_said_that_nothing_is_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signed_notes, "CAN_CHECK", False)
    transport = ScriptedTransport([taken(receipt_note(0, 9, signer=OTHER))])
    with pytest.warns(SignaturesNotChecked, match=r"install arbiter-client\[signatures\]"):
        assert acted(transport)
    program = (
        "import sys; sys.modules['cryptography'] = None\n"
        "import arbiter_client.signed_notes; sys.exit(arbiter_client.signed_notes.CAN_CHECK)"
    )
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], env=paths, check=True)
