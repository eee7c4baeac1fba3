"""Checks every receipt: what was acknowledged is in the log, as it was."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from domain.commitments import NO_SALT, commitment
from domain.events import Event, Record
from domain.match_events import ClientSeedGiven
from domain.notes import Malformed, Note
from domain.receipts import ReceiptText, parsed
from projections.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.evidence.case import Case, Wrong, note
from projections.evidence.signatures import RECEIPTS, purpose, signed_for
from projections.submissions import Submission, receipt, submissions

BESIDES = " that was given besides"


class CheckedReceipts(Struct, frozen=True):
    """How many receipts there are, and whether their signatures could be checked."""

    count: int
    checked: bool


def receipts(case: Case) -> CheckedReceipts:
    """Checks every receipt, in the bundle or given besides, and that none is missing."""
    count = len(case.receipts) + len(case.inputs.receipts)
    indices = _indices(case)
    made = {one.index: one for one in submissions(_numbered(case))}
    listed = [_receipt_index(case, one, indices, made, "") for one in case.receipts]
    for text in case.inputs.receipts:
        _receipt_index(case, _saved_receipt(text), indices, made, BESIDES)
    _check_complete(case, listed, made)
    return CheckedReceipts(count, checked=not count or _has_key(case))


def _has_key(case: Case) -> bool:
    """Whether a key that signs receipts is among the verifier's."""
    return any(purpose(key) == RECEIPTS for key in case.inputs.keys)


def _saved_receipt(text: str) -> Note:
    try:
        return note(text)
    except Malformed as malformed:
        raise Wrong(f"a receipt{BESIDES}: {malformed}") from None


def _numbered(case: Case) -> list[tuple[int, Record[Event]]]:
    numbered = enumerate(case.records, 1)
    return [(position, record) for position, record in numbered if record is not None]


def _indices(case: Case) -> dict[bytes, int]:
    """The index in the log of the event for each commitment in a receipt."""
    found = {leaf.c: leaf.n for leaf in case.leaves if isinstance(leaf.c, bytes)}
    for leaf, record in zip(case.leaves, case.records, strict=True):
        seeded = record is not None and isinstance(record.event, ClientSeedGiven)
        if seeded and isinstance(leaf.p, bytes):
            found[commitment(NO_SALT, leaf.p)] = leaf.n
    return found


def _receipt_index(
    case: Case, found: Note, indices: dict[bytes, int], made: dict[int, Submission], whose: str
) -> int:
    """The index of the event a receipt is for. Raises Wrong if there is none, or if they differ."""
    said = _said(case, found, whose)
    named = f"the receipt{whose} of seat {said.seat} for its event {said.count}, {said.received},"
    index = indices.get(said.commitment)
    if index is None:
        raise Wrong(f"{named} is for something that is not in the log: it has been dropped")
    record = case.records[index]
    if record is None:
        return index
    if index not in made:
        raise Wrong(f"{named} is for event {index}, which nobody submitted")
    given = receipt(said.match, made[index], said.commitment)
    if not _counted(case, said.seat):
        given = replace(given, count=said.count)
    for name in ReceiptText.__struct_fields__:
        if getattr(given, name) != getattr(said, name):
            raise Wrong(f"{named} says another {name} than event {index}")
    return index


def _said(case: Case, found: Note, whose: str) -> ReceiptText:
    try:
        said = parsed(found.text)
    except Malformed as malformed:
        raise Wrong(f"a receipt{whose}: {malformed}") from None
    if _has_key(case) and not signed_for(RECEIPTS, case.inputs.keys, found):
        raise Wrong(f"a receipt{whose} is signed by no given key of receipts")
    if said.match != case.manifest.match:
        raise Wrong(f"a receipt{whose} is of another match")
    if not whose and case.manifest.audience not in (MODERATOR, said.seat):
        raise Wrong(f"a receipt is of seat {said.seat}, whose bundle it is not")
    return said


def _counted(case: Case, seat: int) -> bool:
    """Whether all events that the seat may see can be counted."""
    audience = case.manifest.audience
    return audience == MODERATOR or (audience == seat and case.created.record != "closed")


def _check_complete(case: Case, listed: Sequence[int], made: dict[int, Submission]) -> None:
    """Checks that there is exactly one receipt for each submission that the bundle shows."""
    audience = case.manifest.audience
    if audience == PUBLIC_VIEWER:
        if listed:
            raise Wrong("the public's bundle holds receipts")
        return
    if list(listed) != sorted(set(listed)):
        raise Wrong("receipts are not in the order of the log")
    wanted = [n for n, one in made.items() if audience in (MODERATOR, one.event.seat)]
    missing = sorted(set(wanted) - set(listed))
    if missing:
        raise Wrong(f"there is no receipt for event {missing[0]}")
    surplus = sorted(set(listed) - set(wanted))
    if surplus and not (isinstance(audience, int) and case.created.record == "closed"):
        raise Wrong(f"there is a receipt for event {surplus[0]}, which is not this seat's")
