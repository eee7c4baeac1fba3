"""Checks that a log is the one that was signed, and that its openings are what it commits to."""

from collections.abc import Mapping
from hashlib import sha256
from operator import attrgetter
from typing import get_args

import msgspec
from msgspec import UNSET

from domain.cases.state import CaseStreamEvent
from domain.encoding import UPCASTERS, decode, encode
from domain.events import PUBLIC, Event, Record, only_seat, stored_name
from domain.match.events import ClientSeedGiven, MatchCreated
from domain.proof.checkpoints import Checkpoint
from domain.proof.checkpoints import parse as parse_checkpoint
from domain.proof.commitments import SALT_BYTES, commitment, hash_of_leaf
from domain.proof.log_events import LogEvent
from domain.proof.merkle import Tree, add_leaves
from domain.proof.notes import Malformed
from domain.proof.subjects import Kind
from domain.proof.withholding import is_without_name
from domain.tournament.events import TournamentCreated, TournamentEvent
from projections.audience.disclosure import MODERATOR
from projections.evidence.bundle import HASHED, Opening, hash_of
from projections.evidence.case import LOG, JudgedBundle, Leaf, Said, Wrong, note, signed_for
from projections.evidence.subject_records import opens, rules_of_record, seats_of

OF_TOURNAMENTS = get_args(TournamentEvent)
OF_NO_MATCH = (*get_args(CaseStreamEvent), *OF_TOURNAMENTS, LogEvent)
"""Events of other streams of the store than those of matches."""

FIRST: Mapping[Kind, type[Event]] = {"match": MatchCreated, "tournament": TournamentCreated}
"""The event by which each begins."""


def signatures(case: JudgedBundle) -> Said:
    """Checks that manifest and checkpoint are signed, and that the manifest is of these files."""
    if not signed_for(LOG, case.inputs.keys, case.manifest_note):
        raise Wrong("no given key of a log has signed the manifest")
    if not signed_for(LOG, case.inputs.keys, case.checkpoint_note):
        raise Wrong("no given key of a log has signed the checkpoint")
    if case.checkpoint.log != case.id:
        raise Wrong("manifest and checkpoint are of different logs")
    for name, file_hash in zip(HASHED, case.manifest.hashes, strict=False):
        if sha256(case.parts[name]).digest() != file_hash:
            raise Wrong(f"the {name} are not those of the manifest")
    if case.manifest.matches not in (None, hash_of(case.matches)):
        raise Wrong("the bundles of the matches are not those of the manifest")
    return "PASS", "manifest and checkpoint are signed"


def roots(case: JudgedBundle) -> Said:
    """Checks that the root of the leaves is the signed one."""
    if case.checkpoint.size != len(case.lines):
        raise Wrong(f"the checkpoint is of {case.checkpoint.size} events, not {len(case.lines)}")
    _check_root(case, add_leaves(Tree(), map(hash_of_leaf, case.lines)), case.checkpoint)
    return "PASS", f"the {len(case.lines):,} events are those of the signed checkpoint"


def earlier(case: JudgedBundle) -> Said:
    """Checks that every saved checkpoint is of a beginning of this log."""
    checkpoints = [_saved_checkpoint(case, text) for text in case.inputs.checkpoints]
    tree = Tree()
    for checkpoint in sorted(checkpoints, key=attrgetter("size")):
        if checkpoint.size > len(case.lines):
            raise Wrong(
                f"there was a checkpoint of {checkpoint.size} events, and now there are only "
                f"{len(case.lines)}"
            )
        tree = add_leaves(tree, map(hash_of_leaf, case.lines[tree.size : checkpoint.size]))
        _check_root(case, tree, checkpoint)
    if not checkpoints:
        return "PASS", "no earlier checkpoints were given"
    return "PASS", f"{len(checkpoints):,} earlier checkpoints are of beginnings of this log"


def _check_root(case: JudgedBundle, tree: Tree, checkpoint: Checkpoint) -> None:
    if tree.root != checkpoint.root:
        raise Wrong(f"the first {checkpoint.size} events are not those that were signed")


def _saved_checkpoint(case: JudgedBundle, text: str) -> Checkpoint:
    try:
        signed_note = note(text)
        checkpoint = parse_checkpoint(signed_note.text)
    except Malformed as malformed:
        raise Wrong(f"a checkpoint that was given besides: {malformed}") from None
    if not signed_for(LOG, case.inputs.keys, signed_note):
        raise Wrong("a checkpoint that was given besides is signed by no given key of a log")
    if checkpoint.log != case.id:
        raise Wrong("a checkpoint that was given besides is of another log")
    return checkpoint


# Openings.


def openings(case: JudgedBundle) -> Said:
    """Checks that everything opened is what the log commits to and what its reader may see."""
    kind = case.manifest.subject.kind
    case.records = [_public(leaf, kind) for leaf in case.leaves]
    first = case.records[0] if case.records else None
    if first is None or not isinstance(first.event, FIRST[kind]):
        raise Wrong(f"event 0 is not {stored_name(FIRST[kind])}")
    last = -1
    for opening in case.openings:
        if not last < opening.n < len(case.leaves):
            raise Wrong("openings are not in the order of the log")
        last = opening.n
        case.records[last] = _open(case, first.event, opening)
    _check_withheld(case)
    seats = seats_of(first.event, case.records)
    _check_order(case, seats)
    if rules_of_record(first.event) != (case.manifest.game, case.manifest.rules_version):
        raise Wrong(f"the manifest names other rules than the {kind} was created by")
    audience = case.manifest.audience
    if isinstance(audience, int) and audience >= seats:
        raise Wrong("there is no such seat")
    if audience == MODERATOR and case.whole is None:
        index = case.records.index(None)
        raise Wrong(f"event {index} is not opened, in a bundle that opens all")
    if case.withheld:
        text = f"name withheld: {len(case.withheld):,} events are without it"
        return "SEALED", f"{text}; {case.sealed:,} of {len(case.lines):,} are sealed"
    if case.sealed:
        return "SEALED", f"{case.sealed:,} of {len(case.lines):,} events are sealed"
    return "PASS", "every event is opened, and is what the log commits to"


def _check_withheld(case: JudgedBundle) -> None:
    """Checks that a leaf is given by its hash alone only where a name is withheld."""
    for leaf in case.leaves:
        if leaf.h is not UNSET and case.records[leaf.n] is None:
            raise Wrong(f"event {leaf.n} is given by its hash alone, and no name stands there")


def _public(leaf: Leaf, kind: Kind) -> Record[Event] | None:
    if not isinstance(leaf.p, bytes):
        return None
    record = _record(leaf.n, leaf.p, kind)
    if record.at != leaf.t:
        raise Wrong(f"event {leaf.n} does not bear the time of its leaf")
    if record.event.audience != PUBLIC:
        raise Wrong(f"event {leaf.n} is not public, and its leaf is")
    return record


def _open(case: JudgedBundle, created: Event, opening: Opening) -> Record[Event]:
    leaf = case.leaves[opening.n]
    if not opening.salt:
        return _without_name(case, created, leaf, opening)
    if len(opening.salt) != SALT_BYTES or leaf.c != commitment(opening.salt, opening.event):
        raise Wrong(f"the opening of event {opening.n} is not what the log commits to")
    record = _record(opening.n, opening.event, case.manifest.subject.kind)
    if record.event.audience == PUBLIC:
        raise Wrong(f"event {opening.n} is public, and its leaf is not")
    if not opens(case.manifest.audience, created, record.event):
        raise Wrong(f"event {opening.n} is opened to those who may not see it")
    return record


def _without_name(
    case: JudgedBundle, created: Event, leaf: Leaf, opening: Opening
) -> Record[Event]:
    """What stands in place of an event in which a name is withheld. The leaf proves that there was
    one; that it was this one, but for the name, only what is judged again can show."""
    event = (record := _record(opening.n, opening.event, case.manifest.subject.kind)).event
    public = event.audience == PUBLIC
    if not is_without_name(event) or public != isinstance(leaf.h, bytes):
        raise Wrong(f"event {opening.n} is withheld, and is none that holds a name")
    if not public and not opens(case.manifest.audience, created, event):
        raise Wrong(f"event {opening.n} is opened to those who may not see it")
    return record


def _record(index: int, state: bytes, kind: Kind) -> Record[Event]:
    try:
        record = decode(state)
        contents = (getattr(record.event, name, None) for name in ("options", "action"))
        plain = all(map(_plain, contents))
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, TypeError, RecursionError):
        raise Wrong(f"event {index} cannot be read") from None
    foreign = isinstance(record.event, OF_NO_MATCH)
    if kind == "tournament":
        foreign = not isinstance(record.event, OF_TOURNAMENTS)
    if foreign:
        raise Wrong(f"event {index} is no event of a {kind}")
    if not plain:
        raise Wrong(f"event {index} holds what JSON cannot say")
    if encode(record) != state:
        _at, _back, fields = msgspec.msgpack.decode(state)
        if fields["type"] not in UPCASTERS:
            raise Wrong(f"event {index} is not spelt as events are stored")
    return record


def _plain(value: object) -> bool:
    """Whether a value could have come from JSON."""
    if isinstance(value, dict):
        return all(isinstance(name, str) and _plain(inner) for name, inner in value.items())
    if isinstance(value, list):
        return all(map(_plain, value))
    return value is None or isinstance(value, str | int)


def _check_order(case: JudgedBundle, seats: int) -> None:
    at, kind = 0, case.manifest.subject.kind
    for index, record in enumerate(case.records):
        if record is None:
            continue
        event = record.event
        if record.at < at:
            raise Wrong(f"event {index} bears an earlier time than one before it")
        at = record.at
        if index and isinstance(event, FIRST[kind]):
            raise Wrong(f"event {index} creates the {kind} once more")
        seat = _seat(event)
        if seat is not None and not 0 <= seat < seats:
            raise Wrong(f"event {index} is of a seat that there is not")


def _seat(event: Event) -> int | None:
    """The seat that an event is for, or whose action it is."""
    if isinstance(event, ClientSeedGiven):
        return event.seat
    return only_seat(event)
