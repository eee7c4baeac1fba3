"""Forged bundles: parts exchanged, hashes recomputed, or everything signed again by an operator who
has every key of the service."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from msgspec.structs import replace

from domain.encoding import encode
from domain.events import PUBLIC, Event, Record
from domain.games import GAMES
from domain.match.events import MatchCreated
from domain.proof import creation_notes
from domain.proof.checkpoints import Checkpoint
from domain.proof.checkpoints import text as checkpoint_text
from domain.proof.commitments import commitment, private_leaf, public_leaf, salt
from domain.proof.creation_notes import CreationText
from domain.proof.merkle import leaf_hash, root_of
from domain.proof.notes import SignedNote, format_note, read
from domain.proof.receipts import Receiver
from domain.proof.subjects import of_match
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.archive import pack, unpack
from projections.evidence.bundle import (
    Manifest,
    MatchLog,
    Opening,
    hashes_of,
    manifest_text,
    parse_manifest,
    spelt_opening,
)
from projections.evidence.verify import Report, verify
from service.cli.simulating.simulation import MATCH
from tests.support.evidence.signed_bundles import (
    LOG_KEY,
    RECEIPTS,
    SIGNER,
    bundled,
    checkpoint_of,
    log_of,
    played,
    trusted,
)
from tests.support.games import SUPPORT

Parts = dict[str, bytes]

SHORT = {game: support.short for game, support in SUPPORT.items()}
"""The luck and the options that make a match of each game short."""

AUDIENCES: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, MODERATOR)


@cache
def short_log(game: str, seed: str | None = None) -> MatchLog:
    """The log of a short match, or of one with the same options and other luck."""
    usual, options = SHORT[game]
    return log_of(played(game, usual if seed is None else seed, options).records)


@cache
def short_bundle(game: str, audience: Viewer = MODERATOR, seed: str | None = None) -> bytes:
    return bundled(short_log(game, seed), audience)


def outcome(report: Report) -> str:
    """The claim that failed, else what is sealed, else nothing."""
    if report.finding is not None:
        return report.finding.claim
    return "+".join(f"{one.claim} sealed" for one in report.claims if one.status == "SEALED")


def found(bundle: bytes, **kept: Sequence[str]) -> str:
    """The claim by which a verifier detects a bundle if they have the keys and saved these
    `checkpoints` and `receipts`; what is sealed, or nothing, if they do not detect it."""
    return outcome(verify(bundle, trusted(**kept)))


def saved_checkpoint(log: MatchLog) -> str:
    """The checkpoint of a whole log, as a user saved it."""
    return SIGNER.sign(checkpoint_of(log))


def saved_receipts(log: MatchLog, receiver: Receiver | None = None) -> list[str]:
    """All receipts, or those of one receiver, as they saved them."""
    return list(map(RECEIPTS.sign, log.receipts(receiver)))


def saved_creation(log: MatchLog) -> str:
    """The creation note, as the organiser saved it."""
    return RECEIPTS.sign(creation_notes.text(CreationText(log.subject.id, log.beginning)))


# Without a key.


def rehashed(parts: Mapping[str, bytes]) -> Parts:
    """The parts with a manifest and a checkpoint that fit them, under the old signatures."""
    return _fitted(parts, lambda text, note: format_note(SignedNote(text, note.signatures)))


# With every key.


def resigned(parts: Mapping[str, bytes], **said: Any) -> bytes:
    """The bundle of these parts, with a manifest and a checkpoint that fit, signed; `said` are
    fields of the manifest to replace."""
    return pack(_fitted(parts, lambda text, _: SIGNER.sign(text), **said))


def _fitted(
    parts: Mapping[str, bytes], sign: Callable[[str, SignedNote], str], **said: Any
) -> Parts:
    manifest, checkpoint = (read(parts[name].decode()) for name in ("manifest", "checkpoint"))
    hashes = hashes_of(parts)
    changed = replace(parse_manifest(manifest.text), **{"hashes": hashes, **said})
    lines = parts["leaves"].split(b"\n")[:-1]
    tree = Checkpoint(changed.subject.id, len(lines), root_of(map(leaf_hash, lines)))
    return {
        **parts,
        "manifest": sign(manifest_text(changed), manifest).encode(),
        "checkpoint": sign(checkpoint_text(tree), checkpoint).encode(),
    }


class Rewritten(MatchLog):
    """The log as an operator has changed it. They leave every unchanged event its salt, whatever
    its new position, so that its receipt is still honoured."""

    def __init__(self, honest: MatchLog, records: Sequence[Record[Event]]) -> None:
        super().__init__(honest.subject.id, list(map(encode, records)), honest.key)
        self._honest = honest
        left = defaultdict(list)
        for index, state in enumerate(honest.states):
            left[state].append(salt(honest.key, index))
        self._salts = [
            left[state].pop(0) if left[state] else sha256(b"fresh %d" % index).digest()
            for index, state in enumerate(self.states)
        ]

    @property
    def created(self) -> MatchCreated:
        """As it is recorded, or was."""
        first = self.records[0].event if self.records else None
        return first if isinstance(first, MatchCreated) else self._honest.created

    def opening(self, index: int) -> Opening:
        return Opening(self.states[index], index, self._salts[index])

    def commitment(self, index: int) -> bytes:
        return commitment(self._salts[index], self.states[index])

    def leaves(self) -> Iterator[bytes]:
        for index, (state, record) in enumerate(zip(self.states, self.records, strict=True)):
            if record.event.audience == PUBLIC:
                yield public_leaf(self.subject.id, index, record.at, state)
            else:
                yield private_leaf(self.subject.id, index, self.commitment(index))


def rewritten(
    honest: MatchLog, records: Sequence[Record[Event]], audience: Viewer = MODERATOR
) -> bytes:
    """The bundle of a log that an operator has changed to these records."""
    return bundled(Rewritten(honest, records), audience)


def of_bytes(
    public: Sequence[tuple[int, bytes]],
    private: Sequence[bytes] = (),
    audience: Viewer = PUBLIC_VIEWER,
    game: str = "together",
) -> bytes:
    """A bundle, signed by every key, of bytes that need not be events: public ones with the times
    of their leaves, followed by private ones, opened."""
    opened = [
        Opening(state, index, salt(LOG_KEY, index))
        for index, state in enumerate(private, start=len(public))
    ]
    leaves = [public_leaf(MATCH, index, at, state) for index, (at, state) in enumerate(public)]
    leaves += [private_leaf(MATCH, one.n, commitment(one.salt, one.event)) for one in opened]
    return of_lines(leaves, [spelt_opening(one)[:-1] for one in opened], audience, game)


def of_lines(
    leaves: Sequence[bytes],
    openings: Sequence[bytes] = (),
    audience: Viewer = PUBLIC_VIEWER,
    game: str = "together",
) -> bytes:
    """The same of any lines of leaves and openings."""
    parts = {"leaves": _joined(leaves), "openings": _joined(openings), "receipts": b""}
    rules = GAMES.get(game)
    version = 1 if rules is None else rules.rules_version
    blank = manifest_text(Manifest(of_match(MATCH), audience, game, version, (bytes(32),) * 3))
    parts["manifest"] = SIGNER.sign(blank).encode()
    parts["checkpoint"] = SIGNER.sign(checkpoint_text(Checkpoint(MATCH, 0, bytes(32)))).encode()
    return resigned(parts)


def _joined(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def apart(game: str, audience: Viewer = MODERATOR, seed: str | None = None) -> Parts:
    """The parts of a short match's bundle."""
    return unpack(short_bundle(game, audience, seed))
