"""Checks every receipt: what was acknowledged is in the log, as it was, behind the same commitment
to a seed."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from domain import creation_notes
from domain.commitments import NO_SALT, commitment
from domain.creation_notes import beginning_of
from domain.events import Event, Record
from domain.match_events import ClientSeedGiven, SeedCommitted
from domain.notes import Malformed, Note
from domain.receipts import ReceiptText, parsed
from projections.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.evidence.case import Case, Leaf, Wrong, note
from projections.evidence.signatures import RECEIPTS, purpose, signed_for
from projections.submissions import Submission, receipt, submissions

BESIDES = " that was given besides"
NOBODY = "nobody"


class CheckedReceipts(Struct, frozen=True):
    """How many receipts there are, and whether their signatures could be checked."""

    count: int
    checked: bool


class Submitted(Struct, frozen=True):
    """What the log has of submissions: the indices of the events for each commitment in a receipt,
    the submissions that can be read, by index, and the hashes of the commitments to seeds, with
    their indices."""

    indices: dict[bytes, list[int]]
    made: dict[int, Submission]
    seeds: list[tuple[int, bytes]]

    def seed_committed(self, index: int) -> bytes | None:
        """The hash of the last commitment to a seed before an event."""
        before = bisect_left(self.seeds, index, key=lambda one: one[0])
        return self.seeds[before - 1][1] if before else None


def receipts(case: Case) -> CheckedReceipts:
    """Checks every receipt and creation note, in the bundle or given besides, and that no receipt
    is missing."""
    count = len(case.receipts) + len(case.inputs.receipts)
    made = {one.index: one for one in submissions(_numbered(case))}
    log = Submitted(_indices(case), made, _seeds(case))
    listed: list[int] = []
    for one in case.receipts:
        listed.append(_receipt_index(case, one, log, "", listed[-1] if listed else -1))
    saved = list(map(_saved_note, case.inputs.receipts))
    if _has_key(case):
        _check_saved(case, saved, log)
    _check_complete(case, listed, made)
    return CheckedReceipts(count, checked=not count or _has_key(case))


def _check_saved(case: Case, saved: Iterable[Note], log: Submitted) -> None:
    """Checks the notes that were given besides; without a key they prove nothing."""
    for found in saved:
        if found.text.startswith(creation_notes.KIND):
            _check_creation(case, found)
        else:
            _receipt_index(case, found, log, BESIDES)


def _has_key(case: Case) -> bool:
    """Whether a key that signs receipts is among the verifier's."""
    return any(purpose(key) == RECEIPTS for key in case.inputs.keys)


def _saved_note(text: str) -> Note:
    try:
        return note(text)
    except Malformed as malformed:
        raise Wrong(f"a receipt{BESIDES}: {malformed}") from None


def _numbered(case: Case) -> list[tuple[int, Record[Event]]]:
    numbered = enumerate(case.records, 1)
    return [(position, record) for position, record in numbered if record is not None]


def _indices(case: Case) -> dict[bytes, list[int]]:
    """The indices in the log of the events for each commitment in a receipt: of one seat's equal
    client seeds at one instant there are several."""
    found: dict[bytes, list[int]] = {}
    for leaf, record in zip(case.leaves, case.records, strict=True):
        if isinstance(leaf.c, bytes):
            found.setdefault(leaf.c, []).append(leaf.n)
        elif record is not None and isinstance(record.event, ClientSeedGiven):
            found.setdefault(commitment(NO_SALT, _public(leaf)), []).append(leaf.n)
    return found


def _seeds(case: Case) -> list[tuple[int, bytes]]:
    """The hashes of the commitments to seeds, with their indices."""
    return [
        (leaf.n, sha256(_public(leaf)).digest())
        for leaf, record in zip(case.leaves, case.records, strict=True)
        if record is not None and isinstance(record.event, SeedCommitted)
    ]


def _public(leaf: Leaf) -> bytes:
    """The stored bytes in a public leaf."""
    assert isinstance(leaf.p, bytes), "the openings have been checked"
    return leaf.p


def _check_creation(case: Case, found: Note) -> None:
    """Checks a creation note that was given besides."""
    try:
        said = creation_notes.parsed(found.text)
    except Malformed as malformed:
        raise Wrong(f"a creation note{BESIDES}: {malformed}") from None
    _check_signed(case, found, f"a creation note{BESIDES}")
    _check_match(case, said.match, f"a creation note{BESIDES}")
    stored = [leaf.p for leaf in case.leaves[:2] if isinstance(leaf.p, bytes)]
    begun = beginning_of(stored)
    if said.beginning.created != begun.created:
        raise Wrong(f"the creation note{BESIDES} is of another creation than event 0")
    if said.beginning.seed_committed != begun.seed_committed:
        raise Wrong(f"the creation note{BESIDES} names another commitment to the seed")


def _receipt_index(case: Case, found: Note, log: Submitted, whose: str, last: int = -1) -> int:
    """The index of the event a receipt is for, behind that of the `last` receipt. Raises Wrong if
    there is none, or if they differ."""
    said = _said(case, found, whose)
    named = f"the receipt{whose} of seat {said.seat} for its event {said.count}, {said.received},"
    indices = log.indices.get(said.commitment)
    if indices is None:
        raise Wrong(f"{named} is for something that is not in the log: it has been dropped")
    other: str | None = None
    index = indices[-1]
    for place in range(bisect_right(indices, last), len(indices)):
        index = indices[place]
        other = _differing(case, said, log, index)
        if other is None:
            return index
    if other is None:
        raise Wrong("receipts are not in the order of the log")
    if other == NOBODY:
        raise Wrong(f"{named} is for event {index}, which nobody submitted")
    if other == "seed_committed":
        raise Wrong(f"{named} names another commitment to the seed than the log")
    raise Wrong(f"{named} says another {other} than event {index}")


def _differing(case: Case, said: ReceiptText, log: Submitted, index: int) -> str | None:
    """The first field in which a receipt differs from what the log says of the event at an index;
    None if there is none, NOBODY if that event is no submission."""
    seed = log.seed_committed(index)
    if said.seed_committed != seed:
        return "seed_committed"
    if case.records[index] is None:
        return None
    if index not in log.made:
        return NOBODY
    given = receipt(said.match, log.made[index], said.commitment, seed)
    if not _counted(case, said.seat):
        given = replace(given, count=said.count)
    fields = ReceiptText.__struct_fields__
    return next((name for name in fields if getattr(given, name) != getattr(said, name)), None)


def _said(case: Case, found: Note, whose: str) -> ReceiptText:
    try:
        said = parsed(found.text)
    except Malformed as malformed:
        raise Wrong(f"a receipt{whose}: {malformed}") from None
    _check_signed(case, found, f"a receipt{whose}")
    _check_match(case, said.match, f"a receipt{whose}")
    if not whose and case.manifest.audience not in (MODERATOR, said.seat):
        raise Wrong(f"a receipt is of seat {said.seat}, whose bundle it is not")
    return said


def _check_signed(case: Case, found: Note, named: str) -> None:
    if _has_key(case) and not signed_for(RECEIPTS, case.inputs.keys, found):
        raise Wrong(f"{named} is signed by no given key of receipts")


def _check_match(case: Case, match: str, named: str) -> None:
    if match != case.manifest.match:
        raise Wrong(f"{named} is of another match")


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
    wanted = [n for n, one in made.items() if audience in (MODERATOR, one.event.seat)]
    missing = sorted(set(wanted) - set(listed))
    if missing:
        raise Wrong(f"there is no receipt for event {missing[0]}")
    surplus = sorted(set(listed) - set(wanted))
    if surplus and not (isinstance(audience, int) and case.created.record == "closed"):
        raise Wrong(f"there is a receipt for event {surplus[0]}, which is not this seat's")
