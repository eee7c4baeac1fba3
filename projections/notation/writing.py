"""Writes the notation of a match."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import NODEFAULT, UNSET, Struct
from msgspec.structs import FieldInfo, fields

from domain.events import Event, Record, numbered
from domain.match.live import live
from domain.match.replay import replay
from domain.match.seat_holders import first_holders
from domain.match.state import AnyGame, Match, convert_action
from domain.rulings.events import ResultRuled
from projections.audience.matches import names_after
from projections.fields import rfc3339
from projections.notation.moves import Drawn, Move, PhaseEnded, PlayedMove, Remark, moves_of
from projections.texts.event_text import account
from projections.texts.plain_text import Names

FORMAT = 1
"""The number of this notation."""

CONSTANTS = ("null", "true", "false")

_WORD = re.compile(r"[A-Za-z0-9_./-]+")
_NUMBER = re.compile(r"-?[0-9]+")

Tag = tuple[str, Any]


def notation(match_id: str, records: Sequence[Record[Event]]) -> str:
    """The notation of a match, of its whole record as moderators may read it.

    Raises KeyError for rules that are not here.
    """
    game, match = replay(match_id, records)
    header = [_tag(name, *values) for name, *values in _tags(game, match, records)]
    return "\n".join([*header, "", *_lines(game, match, records)]) + "\n"


# The header.


def _tag(name: str, *values: Any) -> str:
    return f"[{' '.join([name, *map(_write, values)])}]"


def _tags(game: AnyGame, match: Match, records: Sequence[Record[Event]]) -> Iterator[list[Any]]:
    created = match.created
    yield ["Notation", FORMAT]
    yield ["Game", created.game]
    yield ["Rules", created.rules_version]
    yield ["Match", match.id]
    yield ["Created", rfc3339(records[0].at)]
    if created.tournament is not None:
        yield ["Tournament", created.tournament]
    for name in first_holders(match):
        yield ["Seat", name]
    for name, value in created.options.items():
        yield ["Option", name, value]
    yield ["Chance", created.chance]
    yield ["Clock", created.clock]
    yield ["Record", created.record]
    yield ["Status", match.status]
    if match.result is not None:
        yield ["Result", msgspec.to_builtins(match.result)]
        for ruling in _result_rulings(game, records):
            yield ["Because", ruling.because]


def _result_rulings(game: AnyGame, records: Sequence[Record[Event]]) -> list[ResultRuled]:
    """The last ruling on the result, if one decided it."""
    events = live(numbered(records), game.sealed_phase)
    rulings = [event for event in events if isinstance(event, ResultRuled)]
    return rulings[-1:]


# The moves.


def _lines(game: AnyGame, match: Match, records: Sequence[Record[Event]]) -> Iterator[str]:
    seats = first_holders(match)
    names: Names = seats
    number = 0
    for move in moves_of(game, records):
        if isinstance(move, Remark):
            yield f"; {account(move.event, names)}"
            names = names_after(names, move.event)
        else:
            number += 1
            yield f"{number}. {_move(game, seats, move)}"


def _move(game: AnyGame, seats: Names, move: Move) -> str:
    match move:
        case PlayedMove(seat, action, invalid):
            end = "" if invalid is None else f" !{invalid}"
            return f"{_write(seats[seat])}: {_action(game, action)}{end}"
        case Drawn(draw_id, outcome):
            parts = " ".join(map(_write, outcome))
            return f"draw {_write(draw_id)} = {parts}"
        case PhaseEnded(phase, by_hand):
            how = "by hand" if by_hand else "by its deadline"
            return f"end {_write(phase)} ; {how}"


def _action(game: AnyGame, action_fields: Any) -> str:
    """The action with the fields that differ from their defaults."""
    action = convert_action(game, action_fields)
    values: dict[str, Any] = msgspec.to_builtins(action)
    alone = _only_required(type(action))
    words = [str(type(action).__struct_config__.tag)]
    if alone is not None:
        words.append(_write(values[alone.encode_name]))
    for field in fields(action):
        name, positional = field.encode_name, field.required and alone is not None
        if name in values and not (positional or _is_default(field, values[name])):
            words.append(f"{name}={_write(values[name])}")
    return " ".join(words)


def _only_required(kind: type[Struct]) -> FieldInfo | None:
    """The only field that an action of this kind must have; None if there are none or several. It
    is written without its name."""
    required_fields = [field for field in fields(kind) if field.required]
    return required_fields[0] if len(required_fields) == 1 else None


def _is_default(field: FieldInfo, value: Any) -> bool:
    """Whether a field has the value that it would have if it were left out."""
    if field.default is NODEFAULT or field.default is UNSET:
        return False
    return bool(value == msgspec.to_builtins(field.default))


# Values.


def _write(value: Any) -> str:
    """A value as it is written: a word is bare where it can be read as nothing else.

    >>> _written({"coins": ["penny", "12", None], "by": 12})
    '{coins:[penny,"12",null],by:12}'
    """
    match value:
        case None | True | False:
            return msgspec.json.encode(value).decode()
        case int():
            return str(value)
        case str():
            return value if _is_bare(value) else _quote(value)
        case list() | tuple():
            return f"[{','.join(map(_write, value))}]"
        case dict():
            pairs = (f"{_write(key)}:{_write(item)}" for key, item in value.items())
            return f"{{{','.join(pairs)}}}"
    raise TypeError(f"no value of a notation: {type(value).__name__}")


def _is_bare(text: str) -> bool:
    number = _NUMBER.fullmatch(text) is not None
    return _WORD.fullmatch(text) is not None and not number and text not in CONSTANTS


def _quote(text: str) -> str:
    """The text as JSON has it, with everything escaped that does not print as itself."""
    as_json = msgspec.json.encode(text).decode()
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in as_json)


def _escaped(letter: str) -> str:
    """The letter by its number, or by two beyond the first plane of Unicode."""
    raw = letter.encode("utf-16-be")
    return "".join(f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2))
