"""Whether every receipt is honoured: what was acknowledged is in the log as it was."""

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


class Honoured(Struct, frozen=True):
    """How many receipts there are, and whether their signatures could be checked."""

    count: int
    checked: bool


def receipts(case: Case) -> Honoured:
    """Every receipt, in the bundle or given besides, is honoured; and none is missing."""
    count = len(case.receipts) + len(case.brought.receipts)
    places = _places(case)
    made = {one.index: one for one in submissions(_numbered(case))}
    listed = [_honoured(case, one, places, made, "") for one in case.receipts]
    for text in case.brought.receipts:
        _honoured(case, _kept(text), places, made, BESIDES)
    _check_complete(case, listed, made)
    return Honoured(count, checked=not count or _has_key(case))


def _has_key(case: Case) -> bool:
    """Whether the verifier has brought a key that signs receipts."""
    return any(purpose(key) == RECEIPTS for key in case.brought.keys)


def _kept(text: str) -> Note:
    try:
        return note(text)
    except Malformed as malformed:
        raise Wrong(f"a receipt{BESIDES}: {malformed}") from None


def _numbered(case: Case) -> list[tuple[int, Record[Event]]]:
    numbered = enumerate(case.records, 1)
    return [(position, record) for position, record in numbered if record is not None]


def _places(case: Case) -> dict[bytes, int]:
    """Where in the log stands what a receipt commits to."""
    found = {leaf.c: leaf.n for leaf in case.leaves if isinstance(leaf.c, bytes)}
    for leaf, record in zip(case.leaves, case.records, strict=True):
        if record is not None and isinstance(record.event, ClientSeedGiven):
            assert isinstance(leaf.p, bytes)
            found[commitment(NO_SALT, leaf.p)] = leaf.n
    return found


def _honoured(
    case: Case, found: Note, places: dict[bytes, int], made: dict[int, Submission], whose: str
) -> int:
    """The place of what a receipt is for. Raises Wrong if there is none, or it says otherwise."""
    said = _said(case, found, whose)
    named = f"the receipt{whose} of seat {said.seat} for its event {said.count}, {said.received},"
    index = places.get(said.commitment)
    if index is None:
        raise Wrong(f"{named} is for something that is not in the log: it has been dropped")
    record = case.records[index]
    if record is None:
        return index
    if index not in made:
        raise Wrong(f"{named} is for event {index}, which nobody submitted")
    given = receipt(said.match, made[index], lambda _: said.commitment)
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
    if _has_key(case) and not signed_for(RECEIPTS, case.brought.keys, found):
        raise Wrong(f"a receipt{whose} is signed by no given key of receipts")
    if said.match != case.manifest.match:
        raise Wrong(f"a receipt{whose} is of another match")
    if not whose and case.manifest.audience not in (MODERATOR, said.seat):
        raise Wrong(f"a receipt is of seat {said.seat}, whose bundle it is not")
    return said


def _counted(case: Case, seat: int) -> bool:
    """Whether all that the seat may see can be counted."""
    audience = case.manifest.audience
    return audience == MODERATOR or (audience == seat and case.created.record != "closed")


def _check_complete(case: Case, listed: Sequence[int], made: dict[int, Submission]) -> None:
    """For each submission that the bundle shows to have been made there is one receipt."""
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
