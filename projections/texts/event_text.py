"""What happened, in sentences for people, from the catalogue of `projections.texts`.

What people have written cannot be confused with our own words, and prints as itself.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from domain.events import Event, stored_name
from projections.audience.lines import data_of
from projections.texts import catalogue, event_fields
from projections.texts.plain_text import Names, person, plain, quote_name

LONGEST_HEX = 16
DEEPEST = 6
"""Maximum depth: no event of ours is deeper, and a forged one must not cost much time."""

NAMES = frozenset(("name", "directed.by", "issued_by"))
"""Fields that contain what someone is called."""

WRITTEN = frozenset(("reason", "rule", "seed", "text"))
"""Fields that contain what someone has written."""

OMITTED = frozenset(("blind", "fingerprint", "key_commit"))
"""Fields that say nothing to people."""

LEFT = "paused.left"
"""The field that contains microseconds."""

OPTIONS = "options"
"""Words of options are those of organisers, not those of players."""

_WORD = re.compile(r"[\w./:+-]+")
"""Text that can only be read as one value."""

_IDENTIFIER = re.compile(r"[a-z]+(_[a-z]+)+")
_FIELD = re.compile(r"\{([\w.]+)\}")


def account(event: Event, names: Names) -> str:
    """What happened, in one sentence, and the fields of the event that it leaves out."""
    kind, fields = stored_name(type(event)), data_of(event)
    sentence, pieces = sentence_of(kind, fields, names), _pieces(kind, fields)
    in_sentence = OMITTED.union(path.partition(".")[0] for path in pieces[1::2])
    rest = {
        name: value
        for name, value in fields.items()
        if name not in in_sentence and not _is_empty(value)
    }
    return f"{sentence}; {_list_fields(kind, rest, names)}" if pieces and rest else sentence


def sentence_of(kind: str, fields: Mapping[str, Any], names: Names) -> str:
    """What happened, by an event of any type, which this release need not know."""
    pieces = _pieces(kind, fields)
    if not pieces:
        title = plain(" ".join(kind.split(".")[1:-1]).replace("-", " "))
        field_list = _list_fields(kind, fields, names)
        return f"{title}: {field_list}" if field_list else title
    values = (_at(kind, fields, path, names) for path in pieces[1::2])
    return "".join(chain(*zip(pieces[::2], [*values, ""], strict=True)))


def _pieces(kind: str, fields: Mapping[str, Any]) -> list[str]:
    """The text of an event of this type with these fields, in pieces, every second of which is the
    path of a field; empty without a text."""
    texts = catalogue()
    without = (f"event.{kind}.no-{name}" for name, value in fields.items() if _is_empty(value))
    text = next((texts[name] for name in (*without, f"event.{kind}") if name in texts), None)
    return _FIELD.split(text) if isinstance(text, str) else []


# Fields.


def _at(kind: str, fields: Mapping[str, Any], path: str, names: Names) -> str:
    """The field at a path such as `bid.seat`, in words."""
    value: Any = fields
    steps = path.split(".")
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    holder = steps[-2] if len(steps) > 1 else _short(kind)
    return _value(_name_in(holder, steps[-1]), value, names)


def _list_fields(kind: str, fields: Mapping[str, Any], names: Names) -> str:
    """Fields with their values."""
    return "; ".join(
        _field(name, _name_in(_short(kind), name), value, names) for name, value in fields.items()
    )


def _short(kind: str) -> str:
    return (*kind.split("."), "")[1]


def _name_in(holder: str, field: str) -> str:
    """The name of a field; with what holds it, if it means something of its own only there."""
    special = f"{holder}.{field}"
    return special if special in _of_their_holders() else field


@cache
def _of_their_holders() -> frozenset[str]:
    by_seat = event_fields()
    return by_seat.seats | by_seat.of_each_seat | NAMES | {LEFT}


def _field(name: str, meaning: str, value: Any, names: Names, depth: int = 0) -> str:
    value_text = _value(meaning, value, names, depth)
    is_named = (
        value_text.startswith("seat ") if name == "seat" else depth and name in ("type", "kind")
    )
    return value_text if is_named else f"{_title(name)} {value_text}"


def _title(name: str) -> str:
    return str(catalogue().get(f"field.{name}", plain(name).replace("_", " ")))


def _value(name: str, value: Any, names: Names, depth: int = 0) -> str:
    match value:
        case _ if depth > DEEPEST:
            return "…"
        case _ if _is_empty(value):
            return _say("event.nobody" if name in event_fields().seats else "nothing")
        case bool():
            return _say("yes" if value else "no")
        case int() if name in event_fields().seats and (depth or name != "seats"):
            return person(value, names)
        case int() if name == LEFT:
            return f"{value / 1_000_000:g} s"
        case bytes():
            return short(value)
        case str():
            return _words(name, value)
        case list() | tuple():
            return _list(name, value, names, depth)
        case dict():
            return _object(name, value, names, depth)
    return plain(str(value))


def _list(name: str, values: Sequence[Any], names: Names, depth: int) -> str:
    """With the names of the seats where there is a value for each."""
    if name in event_fields().of_each_seat and len(values) == len(names):
        by_seat = (
            f"{person(seat, names)} {_value('', item, names, depth + 1)}"
            for seat, item in enumerate(values)
        )
        return ", ".join(by_seat)
    items = [_value(name, item, names, depth + 1) for item in values]
    if depth == 0:
        return ", ".join(items)
    seats = name in event_fields().seats and len(values) > 1
    flat = not seats and not any(isinstance(item, list | tuple | dict) for item in values)
    return " ".join(items) if flat else f"[{', '.join(items)}]"


def _object(name: str, value: Mapping[str, Any], names: Names, depth: int) -> str:
    """What says what it is, and then its fields by their names."""
    keeps_name = name == OPTIONS or name in event_fields().seats
    holder = str(value.get("type", name))
    fields_text = ", ".join(
        _field(field, name if keeps_name else _name_in(holder, field), item, names, depth + 1)
        for field, item in value.items()
    )
    return f"{{{fields_text}}}" if depth else fields_text


def _words(name: str, value: str) -> str:
    """A text as one value: a word of ours in the words of the catalogue, any other text so that it
    cannot be taken for more than itself."""
    if name in NAMES:
        return quote_name(value)
    if name in WRITTEN:
        return f'"{plain(value)}"'
    text = None if name == OPTIONS else catalogue().get(f"event.value.{value}")
    if isinstance(text, str):
        return text
    if _IDENTIFIER.fullmatch(value):
        return value.replace("_", " ")
    plain_value = plain(value)
    return plain_value if _WORD.fullmatch(plain_value) else f'"{plain_value}"'


def _is_empty(value: Any) -> bool:
    return value is None or value in ((), [], {}, b"")


def _say(name: str) -> str:
    return str(catalogue()[name])


def short(raw: bytes) -> str:
    """The beginning of some bytes in hexadecimal: enough to find them again."""
    digits = raw.hex()
    return digits if len(digits) <= LONGEST_HEX else digits[:LONGEST_HEX] + "…"
