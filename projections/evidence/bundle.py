"""Bundles: the log of a match or a tournament, what its reader may open of it, and the signed
statements about it."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256

import msgspec
from msgspec import Struct

from domain.encoding import decode_all, encode
from domain.events import PUBLIC, Event, Record
from domain.match.events import MatchCreated
from domain.proof.checkpoints import Checkpoint
from domain.proof.commitments import commitment_in, hash_of_leaf, leaf_of, salt
from domain.proof.creation_notes import Beginning, beginning_of
from domain.proof.merkle import root_of
from domain.proof.notes import Malformed, decode_base64
from domain.proof.receipts import Receiver
from domain.proof.receipts import text as receipt_text
from domain.proof.seen import seen_key
from domain.proof.subjects import LINE, Subject, named_in, of_match
from domain.proof.withholding import withheld
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience, viewer
from projections.evidence.archive import SEEN, file_of, pack
from projections.evidence.seen import NotedInput, SeenChains
from projections.evidence.subject_records import ends, opens, public_end, receivers, rules_of_record

TITLE = "arbiter-bundle/1"

Sign = Callable[[str], str]
"""Turns a text into a signed note."""

_LINES = re.compile(
    rf"{TITLE}\n"
    rf"{LINE}"
    r"audience (?P<audience>public|seat:(?:0|[1-9][0-9]{0,3})|moderator)\n"
    r"rules (?P<game>[a-z0-9-]+) (?P<version>[1-9][0-9]{0,8})\n"
    r"leaves (?P<leaves>[A-Za-z0-9+/]{43}=)\n"
    r"openings (?P<openings>[A-Za-z0-9+/]{43}=)\n"
    r"receipts (?P<receipts>[A-Za-z0-9+/]{43}=)\n"
    r"(?:seen (?P<seen>[A-Za-z0-9+/]{43}=)\n)?"
    r"(?:matches (?P<matches>[A-Za-z0-9+/]{43}=)\n)?"
)
HASHED = ("leaves", "openings", "receipts", SEEN)
"""The parts that the manifest has hashes of, the last one only once it is over."""


class Opening(Struct, frozen=True):
    """What opens a private leaf: the event's stored bytes and the salt of its commitment. Without a
    salt the event is not as it was: the name in it is withheld."""

    event: bytes
    n: int
    salt: bytes


class Manifest(Struct, frozen=True):
    """The contents of a bundle and its audience; `hashes` are the SHA-256 of the parts in `HASHED`:
    three until the match or the tournament is over. `matches` is the hash of the bundles of a
    tournament's matches."""

    subject: Subject
    audience: Viewer
    game: str
    rules_version: int
    hashes: tuple[bytes, ...]
    matches: bytes | None = None


class Log:
    """The whole log of a match or a tournament: `states` are its events as stored; the salts are
    derived from `key`."""

    def __init__(self, subject: Subject, states: Sequence[bytes], key: bytes) -> None:
        self.subject = subject
        self.states = states
        self.key = key
        self.records: list[Record[Event]] = decode_all(states)

    @property
    def created(self) -> Event:
        """The event that created it."""
        return self.records[0].event

    @property
    def over(self) -> bool:
        """Whether everyone may read what proves it: the result of a match is final, a tournament is
        closed."""
        return any(ends(record.event) for record in self.records)

    @property
    def complete(self) -> bool:
        """Whether nothing more can happen: in a tournament a result may be corrected after the
        close."""
        return self.over and self.subject.kind == "match"

    def inputs(self, receiver: Receiver | None = None) -> list[NotedInput]:
        """All inputs with receipts, or those of one receiver, in the order of the log."""
        every = receivers(self.created, self.records) if receiver is None else (receiver,)
        chains = SeenChains(self.subject, every)
        numbered = enumerate(zip(self.records, self.states, self.leaves(), strict=True))
        for index, (record, state, leaf) in numbered:
            public = record.event.audience == PUBLIC
            proof = None if public else self.commitment(index)
            chains.add(index, record, state, hash_of_leaf(leaf), proof)
        chains.conclude()
        return [noted for noted in chains.inputs if noted.bound is not None]

    def receipt(self, noted: NotedInput) -> str:
        """The text of the receipt for an input."""
        return receipt_text(noted.acknowledged(self.key).receipt(self.subject))

    def receipts(self, receiver: Receiver | None = None) -> Iterator[str]:
        """The texts of all receipts, or of those of one receiver."""
        return map(self.receipt, self.inputs(receiver))

    def opens(self, audience: Viewer, event: Event) -> bool:
        """Whether a bundle for this audience opens a private event."""
        return opens(audience, self.created, event)

    def shows(self, audience: Viewer, index: int, event: Event) -> bool:
        """Whether a bundle for this audience has an opening of the event at an index: a public one
        has none, but to say that a name is withheld."""
        if event.audience == PUBLIC:
            return withheld(self.states[index]) is not None
        return self.opens(audience, event)

    @property
    def seen_key(self) -> bytes | None:
        """The key of what receivers of receipts have seen, once it is over."""
        return seen_key(self.key) if self.over else None

    def leaves(self) -> Iterator[bytes]:
        """The leaf of every event, in order."""
        for index, (state, record) in enumerate(zip(self.states, self.records, strict=True)):
            yield leaf_of(self.subject.id, index, record, state, self.key)

    def checkpoint(self) -> Checkpoint:
        """The checkpoint of the log at its present length."""
        root = root_of(map(hash_of_leaf, self.leaves()))
        return Checkpoint(self.subject.id, len(self.states), root)

    def opening(self, index: int) -> Opening:
        """What opens the event at an index; a name that is withheld is not in it, and has no
        salt."""
        state = self.states[index]
        if withheld(state) is not None:
            return Opening(encode(self.records[index]), index, b"")
        return Opening(state, index, salt(self.key, index))

    def commitment(self, index: int) -> bytes:
        """The commitment in the leaf of the private event at an index."""
        return commitment_in(self.states[index], index, self.key)


class MatchLog(Log):
    """The whole log of a match."""

    def __init__(self, match_id: str, states: Sequence[bytes], key: bytes) -> None:
        super().__init__(of_match(match_id), states, key)

    @property
    def created(self) -> MatchCreated:
        """The event that created the match."""
        first = super().created
        assert isinstance(first, MatchCreated)
        return first

    @cached_property
    def beginning(self) -> Beginning:
        """The hashes of the events with which the match began."""
        return beginning_of(self.states)


class TournamentLog(Log):
    """The log of a tournament up to the last input from which something public follows. What only
    some may see stands in it as soon as something public comes after it: the length of a log that
    everyone may read must not say when it happened."""

    def __init__(self, tournament: str, states: Sequence[bytes], key: bytes) -> None:
        super().__init__(Subject("tournament", tournament), states, key)
        end = public_end(self.records)
        self.states, self.records = self.states[:end], self.records[:end]


def bundle(
    log: Log,
    audience: Viewer,
    checkpoint: str,
    sign_log: Sign,
    sign_receipt: Sign,
    matches: Mapping[str, bytes] | None = None,
) -> bytes:
    """The bundle for an audience, with the signed checkpoint of the whole log. That of a tournament
    has the public bundles of its `matches`, by their ids."""
    leaves = b"".join(leaf + b"\n" for leaf in log.leaves())
    openings = b"".join(
        spelt_opening(log.opening(index))
        for index, record in enumerate(log.records)
        if log.shows(audience, index, record.event)
    )
    included: Iterable[str] = ()
    if audience != PUBLIC_VIEWER:
        included = log.receipts(None if audience == MODERATOR else audience)
    receipts = b"".join(spelt_note(sign_receipt(text)) for text in included)
    parts = {"leaves": leaves, "openings": openings, "receipts": receipts}
    if (key := log.seen_key) is not None:
        parts[SEEN] = key
    files = {file_of(match): inside for match, inside in (matches or {}).items()}
    inside = None if matches is None else hash_of(files)
    rules = rules_of_record(log.created)
    manifest = Manifest(log.subject, audience, *rules, hashes_of(parts), inside)
    notes = {"manifest": sign_log(manifest_text(manifest)).encode()}
    notes["checkpoint"] = checkpoint.encode()
    return pack(notes | parts | files)


def hashes_of(parts: Mapping[str, bytes]) -> tuple[bytes, ...]:
    """What a manifest says of these parts."""
    return tuple(sha256(parts[name]).digest() for name in HASHED if name in parts)


def hash_of(files: Mapping[str, bytes]) -> bytes:
    """What a tournament's manifest says of the bundles of its matches, in their order."""
    return sha256(b"".join(sha256(inside).digest() for inside in files.values())).digest()


# Serialising.


def spelt_opening(opening: Opening) -> bytes:
    """The line of an opening."""
    return msgspec.json.encode(opening, order="sorted") + b"\n"


def spelt_note(note: str) -> bytes:
    """The line of a note."""
    return msgspec.json.encode(note) + b"\n"


def manifest_text(manifest: Manifest) -> str:
    """The text of a manifest."""
    hashes = (b64encode(file_hash).decode() for file_hash in manifest.hashes)
    hash_lines = "".join(
        f"{name} {file_hash}\n" for name, file_hash in zip(HASHED, hashes, strict=False)
    )
    inside = manifest.matches
    matches = "" if inside is None else f"matches {b64encode(inside).decode()}\n"
    return (
        f"{TITLE}\n{manifest.subject}\naudience {name_audience(manifest.audience)}\n"
        f"rules {manifest.game} {manifest.rules_version}\n{hash_lines}{matches}"
    )


def parse_manifest(text: str) -> Manifest:
    """Parses the text of a manifest. Raises Malformed if it is not one."""
    parts = _LINES.fullmatch(text)
    audience = None if parts is None else viewer(parts["audience"])
    if parts is None or audience is None:
        raise Malformed("not a manifest")
    subject, inside = named_in(parts), parts["matches"]
    if (inside is None) != (subject.kind == "match"):
        raise Malformed("the manifest of a tournament, and no other, has matches")
    hashes = tuple(decode_base64(parts[name]) for name in HASHED if parts[name] is not None)
    matches = None if inside is None else decode_base64(inside)
    return Manifest(subject, audience, parts["game"], int(parts["version"]), hashes, matches)
