"""The codec of snapshots: the fold of the first events of a match, as bytes.

A snapshot is derived: where there is none, or an unusable one, the records are folded instead. It
has one part for the match itself, which decides commands, and one for the state of each audience.
All parts but the public's contain secrets, and so they lie in the database of the log.
"""

import sys
from array import array
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, get_type_hints

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from domain.games import RULES, rules_of
from domain.match_state import AnyGame, Match
from projections.audience import AudienceState
from projections.audience_projection import AudienceProjection
from projections.boards import BOARDS
from projections.boards.together import SubmissionList
from projections.disclosure import Viewer, named
from service.event_store.digests import Digest
from service.snapshots.idempotency_index import IdempotencyIndex

FORMAT = 3
"""Version of the encoding. It must rise when the structure of a snapshot changes: here, in
`idempotency_index`, or in `AudienceProjection`."""

MATCH_PART = "match"
"""The name of the part with the match itself."""

_encode = msgspec.msgpack.Encoder().encode


class UnusableSnapshot(Exception):
    """The snapshot cannot be decoded, or does not belong to this log."""


class MatchSnapshot(Struct, frozen=True):
    """The match after its first `position` events: its state, the ids of the settled draws, and the
    answered idempotency keys. `last` identifies the record up to there: see `mark`."""

    position: int
    last: bytes
    match: Match
    draws: frozenset[str]
    answers: IdempotencyIndex


class _RawMatch(Match, frozen=True, kw_only=True):
    """A match whose options and game are not decoded yet."""

    options: Raw
    game: Raw


class _RawAudienceState(AudienceState, frozen=True, kw_only=True):
    """An audience's state whose board is not decoded yet."""

    board: Raw


class _StoredMatch(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    last: bytes
    match: _RawMatch
    draws: list[str]
    entries: bytes
    texts: bytes


class _ListState(Struct, frozen=True, array_like=True):
    """The state that a list of a board has beside its elements."""

    pending: tuple[str, dict[str, Any]] | None
    current: int | None


class _StoredAudience(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    last: bytes
    state: _RawAudienceState
    list_states: dict[str, _ListState]
    positions: bytes
    checksums: bytes


_NOTHING = _encode(None)
_match_decoder = msgspec.msgpack.Decoder(_StoredMatch)
_audience_decoder = msgspec.msgpack.Decoder(_StoredAudience)


def _state_type(game: AnyGame) -> Any:
    """The type of the game's state: the return type of `initial`."""
    return get_type_hints(game.initial)["return"]


# Built at import: decoding happens in threads, and a type's first use must not be in a thread.
_DECODERS: dict[Any, msgspec.msgpack.Decoder[Any]] = {
    type_: msgspec.msgpack.Decoder(type_)
    for type_ in (
        *(type_ for game in RULES for type_ in (game.Options, _state_type(game))),
        *(boards.View for boards in BOARDS.values()),
    )
}


@cache
def shape() -> bytes:
    """SHA-256 of everything that shapes a snapshot: the format, the platform, and the source of the
    rules and boards. A release that changes any of it ignores the snapshots made before."""
    digest = sha256(
        f"{FORMAT} {sys.byteorder} {array('I').itemsize} {msgspec.__version__}".encode()
    )
    for package in ("domain", "projections"):
        for name, source in sorted(_sources(resources.files(package), package)):
            digest.update(f"\n{name} {len(source)}\n".encode() + source)
    return digest.digest()


def _sources(folder: Traversable, name: str) -> Iterable[tuple[str, bytes]]:
    for entry in folder.iterdir():
        inside = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _sources(entry, inside)
        elif entry.name.endswith(".py"):
            yield inside, entry.read_bytes()


def part_name(viewer: Viewer) -> str:
    """The name of the part with an audience's state."""
    return named(viewer)


def record_digest(state: bytes) -> bytes:
    """SHA-256 of a stored record."""
    return sha256(state).digest()


def mark(state: bytes, digest: Digest) -> bytes:
    """What identifies the record of a snapshot: the SHA-256 of its last stored record, which is
    `state`, and its digest. Where no digest is stored, the first alone can be compared."""
    return record_digest(state) + digest.value


def digest_in(position: int, last: bytes) -> Digest:
    """The digest in the mark of a snapshot at this position."""
    return Digest(position, last[len(record_digest(b"")) :])


# The match.


def encode_match(part: MatchSnapshot) -> bytes:
    """The part as bytes; equal parts give equal bytes."""
    match, answers = part.match, part.answers
    return _encode([part.last, match, sorted(part.draws), answers.entries, answers.texts])


def decode_match(position: int, content: bytes) -> MatchSnapshot:
    """Decodes the match's part. Raises UnusableSnapshot."""
    try:
        stored = _match_decoder.decode(content)
        raw = stored.match
        game = rules_of(raw.created)
        state = (
            None if bytes(raw.game) == _NOTHING else _DECODERS[_state_type(game)].decode(raw.game)
        )
        options = _DECODERS[game.Options].decode(raw.options)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError) as error:
        raise UnusableSnapshot from error
    fields = {name: getattr(raw, name) for name in Match.__struct_fields__}
    match = Match(**{**fields, "options": options, "game": state})
    answers = IdempotencyIndex(stored.entries, stored.texts)
    return MatchSnapshot(position, stored.last, match, frozenset(stored.draws), answers)


# The state of an audience.


def encode_audience(last: bytes, projection: AudienceProjection) -> bytes:
    """The audience's state as bytes; equal states give equal bytes."""
    board = projection.state.board
    list_states = {
        name: (listed.pending, listed.current) for name, listed in _stateful_lists(board)
    }
    positions, checksums = projection.positions.tobytes(), projection.checksums.tobytes()
    return _encode([last, projection.state, list_states, positions, checksums])


def decode_audience(position: int, content: bytes) -> tuple[bytes, AudienceProjection]:
    """The mark of the record up to `position`, and the audience's projection up to there.

    Raises UnusableSnapshot.
    """
    try:
        stored = _audience_decoder.decode(content)
        raw = stored.state
        board = None if bytes(raw.board) == _NOTHING else _board(raw, stored.list_states)
        fields = {name: getattr(raw, name) for name in AudienceState.__struct_fields__}
        projection = AudienceProjection(raw.viewer)
        state = AudienceState(**{**fields, "board": board})
        projection.restore(position, stored.positions, stored.checksums, state)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, AttributeError, ValueError) as error:
        raise UnusableSnapshot from error
    if not projection.seq == projection.folded.seq == len(projection.checksums):
        raise UnusableSnapshot
    return stored.last, projection


def _board(raw: _RawAudienceState, list_states: dict[str, _ListState]) -> Any:
    if raw.created is None:
        raise UnusableSnapshot
    board = _DECODERS[BOARDS[raw.created.game].View].decode(raw.board)
    listed = {
        name: _restored_list(getattr(board, name), stored) for name, stored in list_states.items()
    }
    return replace(board, **listed) if listed else board


def _restored_list(elements: Any, stored: _ListState) -> SubmissionList[Any]:
    listed: SubmissionList[Any] = SubmissionList(elements)
    listed.pending, listed.current = stored.pending, stored.current
    return listed


def _stateful_lists(board: Any) -> Iterable[tuple[str, SubmissionList[Any]]]:
    """The lists of a board that have state beside their elements, by field name."""
    if board is None:
        return ()
    each = ((name, getattr(board, name)) for name in board.__struct_fields__)
    return ((name, value) for name, value in each if isinstance(value, SubmissionList))


# Verification.


def verified_match(part: MatchSnapshot) -> bytes:
    """The part as bytes. Raises UnusableSnapshot if they do not decode to exactly this part."""
    content = encode_match(part)
    decoded = decode_match(part.position, content)
    # Comparing the bytes distinguishes 1 from True; comparing the parts, a list from a tuple.
    if decoded != part or encode_match(decoded) != content:
        raise UnusableSnapshot
    return content


def verified_audience(last: bytes, projection: AudienceProjection) -> bytes:
    """The audience's state as bytes. Raises UnusableSnapshot if they do not decode to exactly this
    projection."""
    content = encode_audience(last, projection)
    _, decoded = decode_audience(projection.end, content)
    same = (decoded.state, decoded.positions) == (projection.state, projection.positions)
    same = same and decoded.checksums == projection.checksums
    if not same or encode_audience(last, decoded) != content:
        raise UnusableSnapshot
    return content
