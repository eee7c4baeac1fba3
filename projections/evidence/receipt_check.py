"""Checks every receipt, in a bundle or given besides: what was acknowledged is in the log, as it
was, after the same commitment to a seed, and so is all that its receiver had been told by then."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from hashlib import sha256
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event
from domain.match.inputs import UNDIRECTED, is_order, undirected
from domain.proof import creation_notes
from domain.proof.commitments import NO_SALT, commitment, hash_of_leaf
from domain.proof.creation_notes import beginning_of
from domain.proof.notes import Malformed, SignedNote
from domain.proof.receipts import DIRECTOR, ReceiptText, Receiver, parse
from domain.proof.seen import chain_proof
from domain.proof.subjects import Subject, of_match
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.evidence.case import RECEIPTS, JudgedBundle, Said, Wrong, note, purpose, signed_for
from projections.evidence.seen import COMMITTED, NotedInput, SeenChains, is_input
from projections.evidence.subject_records import ends, receivers, stays_closed

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


def said_by(case: JudgedBundle, signed_note: SignedNote, whose: str) -> ReceiptText:
    """What a receipt says. Raises Wrong if it is none, or not one of this bundle."""
    try:
        receipt = parse(signed_note.text)
    except Malformed as malformed:
        raise Wrong(f"a receipt{whose}: {malformed}") from None
    check_signed(case, signed_note, f"a receipt{whose}")
    check_subject(case, receipt.subject, f"a receipt{whose}")
    if not whose and case.manifest.audience not in (MODERATOR, receipt.seat):
        raise Wrong(f"a receipt is of seat {receipt.seat}, whose bundle it is not")
    return receipt


def check_signed(case: JudgedBundle, signed_note: SignedNote, label: str) -> None:
    """Raises Wrong if there are keys of receipts and none has signed the note."""
    if has_key(case) and not signed_for(RECEIPTS, case.inputs.keys, signed_note):
        raise Wrong(f"{label} is signed by no given key of receipts")


def check_subject(case: JudgedBundle, subject: Subject, label: str) -> None:
    """Raises Wrong if a note is of something else than the bundle."""
    if subject != case.manifest.subject:
        raise Wrong(f"{label} is of another {case.manifest.subject.kind}")


NOBODY = "nobody"


class LoggedInputs(Struct, frozen=True):
    """What the log has of inputs with receipts: the indices of the events for each commitment in a
    receipt, those that can be read, by index, and the hashes of the commitments to seeds, with the
    indices of the inputs that they follow from."""

    indices: dict[bytes, list[int]]
    noted: dict[int, NotedInput]
    seeds: list[tuple[int, bytes]]

    def seed_committed(self, index: int) -> bytes | None:
        """The hash of the last commitment to a seed when what follows from an input was on
        record."""
        before = bisect_right(self.seeds, index, key=itemgetter(0))
        return self.seeds[before - 1][1] if before else None


def receipts(case: JudgedBundle) -> Said:
    """Checks every receipt and creation note, in the bundle or given besides, and that no receipt
    is missing."""
    _check_key_of_seen(case)
    nobodys = undirected(case.records) if case.of_match else None
    if nobodys is not None:
        raise Wrong(f"event {nobodys}: {UNDIRECTED}")
    log = _acknowledged(case)
    indices: list[int] = []
    for receipt in case.receipts:
        indices.append(_receipt_index(case, receipt, log, "", indices[-1] if indices else -1))
    saved_notes = list(map(saved_note, case.inputs.receipts))
    unseen = sum(not _shows(case, log, index) for index in indices)
    if has_key(case):
        unseen += _check_saved(case, saved_notes, log)
    _check_complete(case, indices, log.noted)
    count = len(case.receipts) + len(saved_notes)
    if not count:
        return "PASS", "there are none in the bundle, and none were given"
    if not has_key(case):
        return "SEALED", f"no key of receipts was given: {count:,} are not judged"
    if unseen:
        return "SEALED", (
            f"{count:,} receipts are honoured, of {unseen:,} it cannot be shown what "
            "their receivers had been told"
        )
    return "PASS", f"{count:,} receipts are honoured"


def _check_key_of_seen(case: JudgedBundle) -> None:
    """Checks that the key of what was seen is there exactly when it is over."""
    over = any(ends(event) for _, event in case.events)
    kind = case.manifest.subject.kind
    if over and case.seen_key is None:
        raise Wrong(f"the {kind} is over, and the key of what was seen is not there")
    if case.seen_key is not None and not over:
        raise Wrong(f"the key of what was seen is there, and the {kind} is not over")


def _acknowledged(case: JudgedBundle) -> LoggedInputs:
    chains = SeenChains(case.manifest.subject, _receivers(case))
    for line, leaf, record in zip(case.lines, case.leaves, case.records, strict=True):
        if record is not None:
            proof = leaf.c if isinstance(leaf.c, bytes) else None
            state = leaf.p if isinstance(leaf.p, bytes) else b""
            chains.add(leaf.n, record, state, hash_of_leaf(line), proof)
    chains.conclude()
    noted = {input_.index: input_ for input_ in chains.inputs}
    return LoggedInputs(_indices(case, noted), noted, _seeds(case))


def _receivers(case: JudgedBundle) -> tuple[Receiver, ...]:
    """The receivers all of whose events are opened to this reader."""
    audience = case.manifest.audience
    if audience == MODERATOR or (case.of_match and case.whole is not None):
        return receivers(_first_event(case), case.records)
    return (audience,) if isinstance(audience, int) and not _is_closed(case) else ()


def _is_closed(case: JudgedBundle) -> bool:
    return stays_closed(_first_event(case))


def _first_event(case: JudgedBundle) -> Event:
    first = case.records[0]
    assert first is not None, "the openings have been checked"
    return first.event


def _shows(case: JudgedBundle, log: LoggedInputs, index: int) -> bool:
    """Whether it can be shown what the receiver of the receipt for an event had been told."""
    noted = log.noted.get(index)
    return case.seen_key is not None and noted is not None and noted.bound is not None


def _check_saved(case: JudgedBundle, saved_notes: Iterable[SignedNote], log: LoggedInputs) -> int:
    """Checks the notes that were given besides; without a key they prove nothing. Returns of how
    many it cannot be shown what their receivers had been told."""
    unseen = 0
    for signed_note in saved_notes:
        if signed_note.text.startswith(creation_notes.KIND):
            _check_creation(case, signed_note)
        else:
            unseen += not _shows(case, log, _receipt_index(case, signed_note, log, BESIDES))
    return unseen


def _indices(case: JudgedBundle, noted: dict[int, NotedInput]) -> dict[bytes, list[int]]:
    """The indices in the log of the events for each commitment in a receipt: of equal public inputs
    at one instant, as a seat's client seeds, there are several. Those of a tournament are all
    public."""
    by_commitment: dict[bytes, list[int]] = {}
    for leaf, record in zip(case.leaves, case.records, strict=True):
        if isinstance(leaf.c, bytes) and case.of_match:
            by_commitment.setdefault(leaf.c, []).append(leaf.n)
            continue
        has_receipt = record is not None and is_input(record) if case.of_match else leaf.n in noted
        if has_receipt and isinstance(leaf.p, bytes):
            by_commitment.setdefault(commitment(NO_SALT, leaf.p), []).append(leaf.n)
    return by_commitment


def _seeds(case: JudgedBundle) -> list[tuple[int, bytes]]:
    """The hashes of the commitments to seeds, with the indices of their inputs."""
    hashes = [
        (leaf.n - record.back, sha256(leaf.p).digest())
        for leaf, record in zip(case.leaves, case.records, strict=True)
        if record is not None and isinstance(record.event, COMMITTED) and leaf.n >= record.back
        if isinstance(leaf.p, bytes)
    ]
    return sorted(hashes, key=itemgetter(0))


def _check_creation(case: JudgedBundle, signed_note: SignedNote) -> None:
    """Checks a creation note that was given besides."""
    try:
        creation = creation_notes.parse(signed_note.text)
    except Malformed as malformed:
        raise Wrong(f"a creation note{BESIDES}: {malformed}") from None
    check_signed(case, signed_note, f"a creation note{BESIDES}")
    check_subject(case, of_match(creation.match), f"a creation note{BESIDES}")
    states = [leaf.p for leaf in case.leaves[:2] if isinstance(leaf.p, bytes)]
    beginning = beginning_of(states)
    if creation.beginning.created != beginning.created:
        raise Wrong(f"the creation note{BESIDES} is of another creation than event 0")
    if creation.beginning.seed_committed != beginning.seed_committed:
        raise Wrong(f"the creation note{BESIDES} names another commitment to the seed")


def _receipt_index(
    case: JudgedBundle, signed_note: SignedNote, log: LoggedInputs, whose: str, last: int = -1
) -> int:
    """The index of the event a receipt is for, after that of the `last` receipt. Raises Wrong if
    there is none, or if they differ."""
    receipt = said_by(case, signed_note, whose)
    whom = "seat" if case.of_match else "player"
    of = "what was ordered" if receipt.seat == DIRECTOR else f"{whom} {receipt.seat}"
    label = f"the receipt{whose} of {of} for its event {receipt.count}, {receipt.received},"
    indices = log.indices.get(receipt.binding.commitment)
    if indices is None:
        raise Wrong(f"{label} is for something that is not in the log: it has been dropped")
    other: str | None = None
    index = indices[-1]
    for place in range(bisect_right(indices, last), len(indices)):
        index = indices[place]
        other = _differing(case, receipt, log, index)
        if other is None:
            return index
    if other is None:
        raise Wrong("receipts are not in the order of the log")
    if other == NOBODY:
        raise Wrong(f"{label} is for event {index}, which nobody gave like that")
    if other == "seed_committed":
        raise Wrong(f"{label} names another commitment to the seed than the log")
    if other == "seen":
        raise Wrong(f"{label} is of another log: what was told by then has been changed")
    raise Wrong(f"{label} says another {other} than event {index}")


def _differing(
    case: JudgedBundle, receipt: ReceiptText, log: LoggedInputs, index: int
) -> str | None:
    """The first field in which a receipt differs from what the log says of the event at an index;
    None if there is none, NOBODY if no one gave that as an input with a receipt."""
    if receipt.binding.seed_committed != log.seed_committed(index):
        return "seed_committed"
    noted, binding = log.noted.get(index), receipt.binding
    if noted is None:
        return None if _may_be(case, receipt, index) else NOBODY
    due = noted.receipt(case.manifest.subject, binding)
    if not _counts_all(case, receipt.seat):
        due = replace(due, count=receipt.count)
    fields = ReceiptText.__struct_fields__
    other = next((name for name in fields if getattr(due, name) != getattr(receipt, name)), None)
    if other is None and case.seen_key is not None and noted.bound is not None:
        proof = chain_proof(case.seen_key, binding.nonce, noted.bound.chain)
        return None if proof == binding.seen else "seen"
    return other


def _may_be(case: JudgedBundle, receipt: ReceiptText, index: int) -> bool:
    """Whether an event that can be read as no input with a receipt may be one: it is sealed, or who
    ordered it is."""
    record = case.records[index]
    return record is None or (receipt.seat == DIRECTOR and is_order(record))


def _counts_all(case: JudgedBundle, seat: Receiver) -> bool:
    """Whether all events that the number in a receipt counts can be counted."""
    audience = case.manifest.audience
    return DIRECTOR in (audience, seat) or (audience == seat and not _is_closed(case))


def _check_complete(
    case: JudgedBundle, indices: Sequence[int], noted: dict[int, NotedInput]
) -> None:
    """Checks that there is exactly one receipt for each input of its reader that the bundle
    shows."""
    audience = case.manifest.audience
    if audience == PUBLIC_VIEWER:
        if indices:
            raise Wrong("the public's bundle holds receipts")
        return
    due = [n for n, input_ in noted.items() if audience in (MODERATOR, input_.receiver)]
    missing = sorted(set(due) - set(indices))
    if missing:
        raise Wrong(f"there is no receipt for event {missing[0]}")
    surplus = sorted(set(indices) - set(due))
    if surplus and not (isinstance(audience, int) and _is_closed(case)):
        raise Wrong(f"there is a receipt for event {surplus[0]}, which is not its receiver's")
