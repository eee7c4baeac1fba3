"""Receipts and creation notes, in a bundle or given besides: of what they are, and who signed
them."""

from domain.proof.notes import Malformed, SignedNote
from domain.proof.receipts import ReceiptText, parsed
from domain.proof.subjects import Subject
from projections.audience.disclosure import MODERATOR
from projections.evidence.case import RECEIPTS, JudgedBundle, Wrong, note, purpose, signed_for

BESIDES = " that was given besides"


def has_key(case: JudgedBundle) -> bool:
    """Whether a key that signs receipts is among the verifier's."""
    return any(purpose(key) == RECEIPTS for key in case.inputs.keys)


def saved_note(text: str) -> SignedNote:
    """A note that was given besides. Raises Wrong if it is none."""
    try:
        return note(text)
    except Malformed as malformed:
        raise Wrong(f"a receipt{BESIDES}: {malformed}") from None


def said_by(case: JudgedBundle, found: SignedNote, whose: str) -> ReceiptText:
    """What a receipt says. Raises Wrong if it is none, or not one of this bundle."""
    try:
        said = parsed(found.text)
    except Malformed as malformed:
        raise Wrong(f"a receipt{whose}: {malformed}") from None
    check_signed(case, found, f"a receipt{whose}")
    check_subject(case, said.subject, f"a receipt{whose}")
    if not whose and case.manifest.audience not in (MODERATOR, said.seat):
        raise Wrong(f"a receipt is of seat {said.seat}, whose bundle it is not")
    return said


def check_signed(case: JudgedBundle, found: SignedNote, named: str) -> None:
    """Raises Wrong if there are keys of receipts and none has signed the note."""
    if has_key(case) and not signed_for(RECEIPTS, case.inputs.keys, found):
        raise Wrong(f"{named} is signed by no given key of receipts")


def check_subject(case: JudgedBundle, subject: Subject, named: str) -> None:
    """Raises Wrong if a note is of something else than the bundle."""
    if subject != case.manifest.subject:
        raise Wrong(f"{named} is of another {case.manifest.subject.kind}")
