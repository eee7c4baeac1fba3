"""Snapshots: what the first events of a match come to, as bytes.

A snapshot is derived: whoever finds none, or one that does not fit, folds the record instead. There
is one of the match itself, for the door, and one of the sight of each audience. All hold what is
hidden, but for the public's: they lie where the log lies.
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
from projections.boards import BOARDS
from projections.boards.together import Listed
from projections.disclosure import Viewer, named
from projections.sight import Sight
from service.door.open_match import Reader
from service.keeping.answered import Packed

FORMAT = 1
"""To be raised with the shape of what is here, in `service.keeping.answered` and in `Reader`."""

OF_MATCH = "match"
"""The name of the part that holds the match itself."""

_encode = msgspec.msgpack.Encoder().encode


class Unfit(Exception):
    """A snapshot that is not what it should be."""


class MatchPart(Struct, frozen=True):
    """The match after its first `position` events, the last of which is stored as bytes with the
    SHA-256 `last`: its state, the ids of the draws settled, and the keys answered."""

    position: int
    last: bytes
    match: Match
    draws: frozenset[str]
    answers: Packed


class _Match(Match, frozen=True, kw_only=True):
    """A match whose game is still to be decoded."""

    options: Raw
    game: Raw


class _Sight(Sight, frozen=True, kw_only=True):
    """A sight whose board is still to be decoded."""

    board: Raw


class _KeptMatch(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    last: bytes
    match: _Match
    draws: list[str]
    entries: bytes
    texts: bytes


class _Beside(Struct, frozen=True, array_like=True):
    """What a list of a board remembers beside its elements."""

    heard: tuple[str, dict[str, Any]] | None
    counting: int | None


class _KeptSight(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    last: bytes
    sight: _Sight
    beside: dict[str, _Beside]
    positions: bytes


_NOTHING = _encode(None)
_match_decoder = msgspec.msgpack.Decoder(_KeptMatch)
_sight_decoder = msgspec.msgpack.Decoder(_KeptSight)


def _state(game: AnyGame) -> Any:
    """The type of the game's state, which its first one has."""
    return get_type_hints(game.initial)["return"]


# Made here, for it is threads that decode, and the first use of a type must be no thread's.
_DECODERS: dict[Any, msgspec.msgpack.Decoder[Any]] = {
    type_: msgspec.msgpack.Decoder(type_)
    for type_ in (
        *(type_ for game in RULES for type_ in (game.Options, _state(game))),
        *(boards.View for boards in BOARDS.values()),
    )
}


@cache
def shape() -> bytes:
    """What a snapshot must have been made by: this format, and these rules and boards to the
    letter. Whatever a release changes in them, what the one before has made says nothing to it."""
    told = sha256(f"{FORMAT} {sys.byteorder} {array('I').itemsize} {msgspec.__version__}".encode())
    for package in ("domain", "projections"):
        for name, source in sorted(_sources(resources.files(package), package)):
            told.update(f"\n{name} {len(source)}\n".encode() + source)
    return told.digest()


def _sources(folder: Traversable, name: str) -> Iterable[tuple[str, bytes]]:
    for entry in folder.iterdir():
        inside = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _sources(entry, inside)
        elif entry.name.endswith(".py"):
            yield inside, entry.read_bytes()


def part_of(viewer: Viewer) -> str:
    """The name of the part that holds what an audience sees."""
    return named(viewer)


def last_of(state: bytes) -> bytes:
    """What says that this record, as it is stored, is the last one of a snapshot."""
    return sha256(state).digest()


# The match.


def encode_match(part: MatchPart) -> bytes:
    """The same bytes for the same part."""
    match, answers = part.match, part.answers
    return _encode([part.last, match, sorted(part.draws), answers.entries, answers.texts])


def decode_match(position: int, content: bytes) -> MatchPart:
    """Raises Unfit for what is no such part."""
    try:
        kept = _match_decoder.decode(content)
        flat = kept.match
        game = rules_of(flat.created)
        state = None if bytes(flat.game) == _NOTHING else _DECODERS[_state(game)].decode(flat.game)
        options = _DECODERS[game.Options].decode(flat.options)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError) as error:
        raise Unfit from error
    fields = {name: getattr(flat, name) for name in Match.__struct_fields__}
    match = Match(**{**fields, "options": options, "game": state})
    answers = Packed(kept.entries, kept.texts)
    return MatchPart(position, kept.last, match, frozenset(kept.draws), answers)


# What an audience sees.


def encode_sight(last: bytes, reader: Reader) -> bytes:
    """The same bytes for the same sight."""
    board = reader.sight.board
    beside = {name: (listed.heard, listed.counting) for name, listed in _lists(board)}
    return _encode([last, reader.sight, beside, reader.positions.tobytes()])


def decode_sight(position: int, content: bytes) -> tuple[bytes, Reader]:
    """The SHA-256 of the last stored record, and the reader that has come so far.

    Raises Unfit for what is no such part.
    """
    try:
        kept = _sight_decoder.decode(content)
        flat = kept.sight
        board = None if bytes(flat.board) == _NOTHING else _board(flat, kept.beside)
        reader = Reader(flat.viewer)
        reader.positions.frombytes(kept.positions)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, AttributeError, ValueError) as error:
        raise Unfit from error
    fields = {name: getattr(flat, name) for name in Sight.__struct_fields__}
    reader.sight = Sight(**{**fields, "board": board})
    reader.end = position
    if len(reader.positions) != reader.sight.seq:
        raise Unfit
    return kept.last, reader


def _board(flat: _Sight, beside: dict[str, _Beside]) -> Any:
    if flat.created is None:
        raise Unfit
    board = _DECODERS[BOARDS[flat.created.game].View].decode(flat.board)
    listed = {name: _listed(getattr(board, name), kept) for name, kept in beside.items()}
    return replace(board, **listed) if listed else board


def _listed(elements: Any, kept: _Beside) -> Listed[Any]:
    listed: Listed[Any] = Listed(elements)
    listed.heard, listed.counting = kept.heard, kept.counting
    return listed


def _lists(board: Any) -> Iterable[tuple[str, Listed[Any]]]:
    """The lists of a board that remember something."""
    if board is None:
        return ()
    each = ((name, getattr(board, name)) for name in board.__struct_fields__)
    return ((name, value) for name, value in each if isinstance(value, Listed))


# Verification.


def verified_match(part: MatchPart) -> bytes:
    """The part as bytes, which give exactly this part again. Raises Unfit if they do not."""
    content = encode_match(part)
    again = decode_match(part.position, content)
    # Equality does not tell 1 from True, bytes do; bytes do not tell a list from a tuple.
    if again != part or encode_match(again) != content:
        raise Unfit
    return content


def verified_sight(last: bytes, reader: Reader) -> bytes:
    """The sight as bytes, which give exactly this reader again. Raises Unfit if they do not."""
    content = encode_sight(last, reader)
    _, again = decode_sight(reader.end, content)
    same = (again.sight, again.positions) == (reader.sight, reader.positions)
    if not same or encode_sight(last, again) != content:
        raise Unfit
    return content
