"""A bundle being judged: what has been read of it, and the verifier's own inputs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeVar

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import UNSET, Struct, UnsetType

from domain.events import PUBLIC, Event, Instant, Numbered, Record
from domain.game import Result
from domain.match.events import MatchCreated
from domain.match.state import Match
from domain.proof.checkpoints import Checkpoint
from domain.proof.checkpoints import parse as parse_checkpoint
from domain.proof.commitments import VERSION, private_leaf, public_leaf, withheld_leaf
from domain.proof.notes import Malformed, Signature, SignedNote, VerifierKey, format_note, read
from domain.proof.seen import KEY_BYTES
from domain.proof.subjects import Subject
from domain.proof.tournament_rejudging import TournamentJudge
from domain.tournament.stages import Named
from projections.evidence.archive import SEEN, match_in, unpack
from projections.evidence.bundle import (
    HASHED,
    Manifest,
    Opening,
    parse_manifest,
    spelt_note,
    spelt_opening,
)


class Wrong(Exception):
    """What is wrong with a bundle, as a sentence."""


Status = Literal["PASS", "FAIL", "SEALED", "MANUAL"]
Said = tuple[Status, str]
"""What a check says of its claim, and the reason. It raises Wrong where the claim fails."""


class Leaf(Struct, frozen=True):
    """A leaf of the log: a public event's bytes and time, or a private one's commitment; of a name
    that is withheld its hash."""

    n: int
    m: str | UnsetType = UNSET
    v: int | UnsetType = UNSET
    p: bytes | UnsetType = UNSET
    t: int | UnsetType = UNSET
    c: bytes | UnsetType = UNSET
    h: bytes | UnsetType = UNSET


LOG, RECEIPTS = "log", "receipts"
"""Purposes of keys: the last part of their names."""


def purpose(key: VerifierKey) -> str:
    """What a key signs."""
    return key.name.rpartition("/")[2]


def has_signed(key: VerifierKey, note: SignedNote) -> bool:
    """Whether one of the note's signatures is by this key, over this text."""
    return any(
        signature.name == key.name
        and signature.key_id == key.key_id
        and _is_valid(key, note.text, signature)
        for signature in note.signatures
    )


def signed_for(key_purpose: str, keys: Iterable[VerifierKey], note: SignedNote) -> bool:
    """Whether a key of this purpose among `keys` has signed the note."""
    return any(purpose(key) == key_purpose and has_signed(key, note) for key in keys)


def _is_valid(key: VerifierKey, text: str, signature: Signature) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature.raw, text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


class VerifierInputs(Struct, frozen=True):
    """What the verifier has besides the bundle: public keys, and notes saved earlier."""

    keys: Sequence[VerifierKey]
    checkpoints: Sequence[str] = ()
    receipts: Sequence[str] = ()


class InnerMatch(Struct, frozen=True):
    """A match whose bundle is in that of its tournament: how it was created and for whom, and how
    it ended, None if it is void. `sealed`: its result does not follow from public events. `named`
    is whom its game names for a show, UNSET if that is not known. `begun`: it was started;
    `forfeit`: its result was ruled for an absence, `by_itself` the instant of that if the ruling
    names the setting by which the service rules one."""

    created: MatchCreated
    names: tuple[str, ...]
    result: Result | None
    sealed: bool
    named: Named | UnsetType | None
    begun: bool
    forfeit: bool
    by_itself: Instant | None


class JudgedBundle(Struct):
    """What is known of a bundle so far. `records` has None where an event is sealed; `matches` are
    the bundles of a tournament's matches, by their ids, `inside` what is known of them."""

    inputs: VerifierInputs
    parts: dict[str, bytes]
    manifest_note: SignedNote
    manifest: Manifest
    checkpoint_note: SignedNote
    checkpoint: Checkpoint
    lines: list[bytes]
    leaves: list[Leaf]
    openings: list[Opening]
    receipts: list[SignedNote]
    matches: dict[str, bytes]
    seen_key: bytes | None
    records: list[Record[Event] | None] = []
    match: Match | None = None
    inside: dict[str, InnerMatch] = {}
    tournament: TournamentJudge | None = None

    @property
    def id(self) -> str:
        """The id of the match or the tournament."""
        return self.manifest.subject.id

    @property
    def of_match(self) -> bool:
        """Whether it is of a match, or else of a tournament."""
        return self.manifest.subject.kind == "match"

    @property
    def created(self) -> MatchCreated:
        """The event that created the match; known once the openings have been judged."""
        first = self.records[0]
        assert first is not None and isinstance(first.event, MatchCreated)
        return first.event

    @property
    def sealed(self) -> int:
        """How many events are not opened."""
        indices = {opening.n for opening in self.openings}
        return sum(leaf.c is not UNSET and leaf.n not in indices for leaf in self.leaves)

    @property
    def withheld(self) -> frozenset[int]:
        """The events in which a name is withheld."""
        return frozenset(opening.n for opening in self.openings if not opening.salt)

    @property
    def events(self) -> Iterator[tuple[int, Event]]:
        """The events that can be read, with their indices."""
        return ((n, record.event) for n, record in enumerate(self.records) if record is not None)

    @property
    def public(self) -> list[Numbered]:
        """All public events, with their positions."""
        return [
            Numbered(position, position - record.back, record)
            for position, record in enumerate(self.records, 1)
            if record is not None and record.event.audience == PUBLIC
        ]

    @property
    def whole(self) -> list[Record[Event]] | None:
        """All records, if none is sealed."""
        records = [record for record in self.records if record is not None]
        return records if len(records) == len(self.records) else None


T = TypeVar("T")
Spelt = Callable[[T], bytes]

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_leaf = msgspec.json.Decoder(Leaf)
_opening = msgspec.json.Decoder(Opening)
_text = msgspec.json.Decoder(str)


def open_bundle(bundle: bytes, inputs: VerifierInputs) -> JudgedBundle:
    """Parses a bundle. Raises Wrong unless everything in it has its canonical form."""
    try:
        parts = unpack(bundle)
        manifest_note, checkpoint_note = _note(parts["manifest"]), _note(parts["checkpoint"])
        manifest = parse_manifest(manifest_note.text)
        lines = _lines(parts, "leaves")
        return JudgedBundle(
            inputs=inputs,
            parts=parts,
            manifest_note=manifest_note,
            manifest=manifest,
            checkpoint_note=checkpoint_note,
            checkpoint=parse_checkpoint(checkpoint_note.text),
            lines=lines,
            leaves=[_parsed_leaf(line, n, manifest.subject) for n, line in enumerate(lines)],
            openings=[
                _exactly(line, _opening, spelt_opening, "an opening")
                for line in _lines(parts, "openings")
            ],
            receipts=[
                note(_exactly(line, _text, spelt_note, "a receipt"))
                for line in _lines(parts, "receipts")
            ],
            matches=_matches(parts, manifest),
            seen_key=_seen_key(parts, manifest),
        )
    except Malformed as malformed:
        raise Wrong(str(malformed)) from None


def note(text: str) -> SignedNote:
    """Parses a signed note in its canonical form. Raises Malformed."""
    parts = read(text)
    if format_note(parts) != text:
        raise Malformed("a note could be written otherwise")
    return parts


def _note(raw: bytes) -> SignedNote:
    try:
        return note(raw.decode())
    except UnicodeDecodeError:
        raise Malformed("a note is not UTF-8") from None


def _lines(parts: dict[str, bytes], name: str) -> list[bytes]:
    lines = parts[name].split(b"\n")
    if lines.pop():
        raise Malformed(f"{name}: the last line has no end")
    return lines


def _seen_key(parts: dict[str, bytes], manifest: Manifest) -> bytes | None:
    key = parts.get(SEEN)
    if (key is None) != (len(manifest.hashes) < len(HASHED)):
        raise Malformed("there is a key of what was seen, or the manifest says so, not both")
    if key is not None and len(key) != KEY_BYTES:
        raise Malformed("the key of what was seen has another length")
    return key


def _matches(parts: dict[str, bytes], manifest: Manifest) -> dict[str, bytes]:
    inside = {match: part for name, part in parts.items() if (match := match_in(name))}
    if inside and manifest.matches is None:
        raise Malformed("a match has no matches in it")
    return inside


def _parsed_leaf(line: bytes, index: int, subject: Subject) -> Leaf:
    try:
        leaf = _leaf.decode(line)
    except UNREADABLE:
        raise Malformed(f"leaf {index} cannot be read") from None
    if isinstance(leaf.h, bytes) and len(leaf.h) == 32 and withheld_leaf(index, leaf.h) == line:
        return leaf
    if (leaf.m, leaf.n, leaf.v) != (subject.id, index, VERSION):
        raise Malformed(f"leaf {index} is not number {index} of this {subject.kind}")
    if _spelt_leaf(leaf) != line:
        raise Malformed(f"leaf {index} is not spelt as a leaf")
    return leaf


def _spelt_leaf(leaf: Leaf) -> bytes | None:
    if not isinstance(leaf.m, str):
        return None
    if isinstance(leaf.c, bytes):
        return private_leaf(leaf.m, leaf.n, leaf.c) if len(leaf.c) == 32 else None
    if isinstance(leaf.p, bytes) and isinstance(leaf.t, int):
        return public_leaf(leaf.m, leaf.n, leaf.t, leaf.p)
    return None


def _exactly(line: bytes, decoder: msgspec.json.Decoder[T], encoder: Spelt[T], what: str) -> T:
    """What is in a line, which spells it in its one form."""
    try:
        value = decoder.decode(line)
    except UNREADABLE:
        raise Malformed(f"{what} cannot be read") from None
    if encoder(value) != line + b"\n":
        raise Malformed(f"{what} is not spelt as one")
    return value
