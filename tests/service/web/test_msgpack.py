"""Records as the page reads them: what msgspec writes, in its only spelling, and nothing else."""

import struct
from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any, get_args

import msgspec
import pytest

from domain.encoding import encode
from domain.events import Event, Record
from domain.games import AnyEvent
from domain.match.events import MatchEvent
from domain.tournament.events import TournamentEvent
from tests.recorded.files import created, recorded, states
from tests.support.effort import times
from tests.support.web.verifier_script import PageAnswer, page_answers

VALUES = times("values")
"""Numbers of values and of damaged spellings that are read."""

EDGES = [
    edge + off
    for bits in (5, 7, 8, 15, 16, 31, 32, 53, 63)
    for edge in (2**bits, -(2**bits))
    for off in (-1, 0, 1)
    if edge + off >= -(2**63)
] + [0, 1, -1, 2**64 - 1]

LENGTHS = (0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536)
NAMES = ("type", "seat", "0", "1", "__proto__", "constructor", "é", "𝄞", "", "x" * 40)

pack = msgspec.msgpack.encode
as_record = msgspec.msgpack.Decoder(Record[AnyEvent])


def read(*stored: bytes) -> list[PageAnswer]:
    return page_answers({"ask": "decode", "bytes": raw.hex()} for raw in stored)


def shown(value: Any) -> Any:
    """The value as the page shows it."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return value if abs(value) < 2**53 else {"whole": str(value)}
        case float():
            return {"fraction": struct.pack(">d", value).hex()}
        case bytes():
            return {"bytes": value.hex()}
        case list():
            return [shown(item) for item in value]
        case dict():
            return {"map": [[name, shown(item)] for name, item in value.items()]}
    raise TypeError(type(value))


def some_value(luck: Random, depth: int = 0) -> Any:
    kind = luck.randrange(9 if depth < 4 else 7)
    match kind:
        case 0:
            return luck.choice((None, True, False))
        case 1:
            return luck.choice(EDGES)
        case 2:
            return luck.randint(-(2 ** luck.randint(0, 63)), 2 ** luck.randint(0, 64) - 1)
        case 3:
            return luck.choice((0.0, -0.0, 1.0, 0.5, 1e300, float("inf")))
        case 4:
            return luck.randbytes(luck.choice(LENGTHS[:8]))
        case 5 | 6:
            return "".join(luck.choices("ab\x00é√𝄞", k=luck.choice(LENGTHS[:8])))
        case 7:
            return [some_value(luck, depth + 1) for _ in range(luck.choice((0, 1, 3, 17)))]
    names = luck.sample(NAMES, luck.randint(0, len(NAMES)))
    return {name: some_value(luck, depth + 1) for name in names}


def spoilt(raw: bytes, luck: Random) -> bytes:
    """The bytes with one of them changed, dropped, doubled or added."""
    at = luck.randrange(len(raw))
    match luck.randrange(4):
        case 0:
            return raw[:at] + bytes([luck.randrange(256)]) + raw[at + 1 :]
        case 1:
            return raw[:at] + raw[at + 1 :]
        case 2:
            return raw[: at + 1] + raw[at:]
    return raw[:at] + luck.randbytes(1) + raw[at:]


def one_spelling(raw: bytes) -> bool:
    """Whether msgspec writes these very bytes for what it reads in them: values that a record can
    contain, and names that are texts."""
    try:
        value = msgspec.msgpack.decode(raw)
        return pack(value) == raw and shown_as_text(value)
    except (msgspec.DecodeError, ValueError, TypeError, RecursionError):
        return False


def shown_as_text(value: Any) -> bool:
    match value:
        case dict():
            return all(isinstance(name, str) and shown_as_text(v) for name, v in value.items())
        case list():
            return all(map(shown_as_text, value))
    shown(value)
    return True


def test_random_values_are_read_as_they_were_written() -> None:
    luck = Random("values")
    values = [some_value(luck) for _ in range(VALUES)]
    stored = list(map(pack, values))
    for value, found in zip(values, read(*stored), strict=True):
        assert found.answer == shown(value), value


@pytest.mark.parametrize("length", LENGTHS)
def test_every_length_has_its_own_form(length: int) -> None:
    values: list[Any] = [
        "x" * length, b"x" * length, [0] * length, {f"n{n}": 0 for n in range(length)},
    ]  # fmt: skip
    stored = list(map(pack, values))
    assert [found.answer for found in read(*stored)] == list(map(shown, values))


def test_every_whole_number_has_its_own_form() -> None:
    stored = list(map(pack, EDGES))
    assert [found.answer for found in read(*stored)] == list(map(shown, EDGES))


LONGER = {
    "a number in one byte more": b"\xcc\x7f",
    "in two": b"\xcd\x00\xff",
    "in four": b"\xce\x00\x00\xff\xff",
    "in eight": b"\xcf\x00\x00\x00\x00\xff\xff\xff\xff",
    "a negative one in one byte more": b"\xd0\xe0",
    "in two, negative": b"\xd1\xff\x80",
    "in four, negative": b"\xd2\xff\xff\x80\x00",
    "in eight, negative": b"\xd3\xff\xff\xff\xff\x80\x00\x00\x00",
    "a natural one as if it could be negative": b"\xd0\x05",
    "a short text": b"\xd9\x01a",
    "a longer one": b"\xda\x00\x20" + b"a" * 32,
    "a long one": b"\xdb\x00\x00\x01\x00" + b"a" * 256,
    "short bytes": b"\xc5\x00\x01a",
    "long bytes": b"\xc6\x00\x00\x01\x00" + b"a" * 256,
    "a short list": b"\xdc\x00\x01\x00",
    "a long list": b"\xdd\x00\x00\x00\x10" + b"\x00" * 16,
    "a short map": b"\xde\x00\x01\xa1a\x00",
    "a long map": b"\xdf\x00\x00\x00\x10" + b"".join(b"\xa1%c\x00" % (65 + n) for n in range(16)),
    "a name twice": b"\x82\xa1a\x00\xa1a\x00",
    "a fraction in four bytes": b"\xca\x3f\x80\x00\x00",
    "a form that there is not": b"\xc1",
    "an extension": b"\xd4\x05\x00",
    "an instant": b"\xd6\xff\x00\x00\x00\x00",
    "a name that is no text": b"\x81\x01\x00",
    "something behind it": b"\x00\x00",
    "nothing": b"",
    "a text that breaks off": b"\xa2a",
    "a text that is no UTF-8": b"\xa1\xff",
    "half a character of two": b"\xa3\xed\xa0\x80",
    "too deep": b"\x91" * 1_000 + b"\x00",
}


@pytest.mark.parametrize("raw", LONGER.values(), ids=LONGER.keys())
def test_other_spellings_are_not_read(raw: bytes) -> None:
    assert not one_spelling(raw)
    assert read(raw)[0].error == "Malformed"


def test_a_byte_order_mark_in_a_text_stays() -> None:
    assert read(pack("\ufeffx"))[0].answer == "\ufeffx"


def test_damaged_spellings_are_read_only_where_they_are_the_one_spelling_of_something() -> None:
    luck = Random("spoilt")
    stored = [spoilt(pack(some_value(luck, 2)), luck) for _ in range(VALUES)]
    found = {raw: answer.error is None for raw, answer in zip(stored, read(*stored), strict=True)}
    assert found == {raw: one_spelling(raw) for raw in stored}
    assert 0 < sum(found.values()) < len(found)


# Events.


GAME = "some-game"


def as_records(stored: Iterable[bytes], game: str = GAME) -> list[PageAnswer]:
    return page_answers({"ask": "record", "bytes": raw.hex(), "game": game} for raw in stored)


def kinds() -> dict[str, tuple[str, list[str]]]:
    """The name of every event of a match of any game or of a tournament, its audience, and its
    fields in order."""
    events: list[type[Event]] = [*get_args(MatchEvent), *get_args(TournamentEvent)]
    return {
        str(kind.__struct_config__.tag): (kind.audience, list(kind.__struct_encode_fields__))
        for kind in events
    }


@cache
def listed() -> dict[str, tuple[str, list[str]]]:
    """The same of the events of which the page has a table."""
    (found,) = page_answers([{"ask": "kinds"}])
    return {name: (audience, fields) for name, audience, fields in found.answer}


def test_the_page_knows_who_may_see_the_events_of_its_table_and_their_fields() -> None:
    assert listed().items() <= {name: tuple(kind) for name, kind in kinds().items()}.items()


@pytest.mark.parametrize("name", recorded())
def test_recorded_events_are_read_as_they_were_written(name: str) -> None:
    stored = states(name)
    for raw, answer in zip(stored, as_records(stored, created(name).game), strict=True):
        assert answer.answer == shown(msgspec.msgpack.decode(raw)[2])


def misshapen(raw: bytes, luck: Random) -> bytes:
    """A record with a field of its event that is dropped, added, moved or of another kind."""
    at, back, event = msgspec.msgpack.decode(raw)
    name = luck.choice(list(event))
    value = luck.choice((None, True, -1, 7, 0.5, "", "heads", b"x", [], [1], [[1]], {}, {"a": 1}))
    match luck.randrange(4):
        case 0:
            changed = {field: held for field, held in event.items() if field != name}
        case 1:
            changed = {**event, "more": value}
        case 2:
            changed = dict(luck.sample(list(event.items()), len(event)))
        case _:
            changed = {**event, name: value}
    return pack([at, back, changed])


def is_record(raw: bytes) -> bool:
    """Whether the stored bytes are those of an event of a match."""
    try:
        record = as_record.decode(raw)
    except msgspec.DecodeError:
        return False
    return encode(record) == raw


def test_misshapen_events_of_the_table_are_read_only_where_they_are_events() -> None:
    luck = Random("misshapen")
    every = [raw for name in recorded() for raw in states(name)]
    everything = [raw for raw in every if msgspec.msgpack.decode(raw)[2]["type"] in listed()]
    stored = [misshapen(luck.choice(everything), luck) for _ in range(VALUES)]
    found = {
        raw: answer.error is None for raw, answer in zip(stored, as_records(stored), strict=True)
    }
    assert found == {raw: is_record(raw) for raw in stored}
    assert 0 < sum(found.values()) < len(found)


PARTS: tuple[Any, ...] = (
    {"kind": "roll", "sides": 6, "label": "die"},
    {"kind": "roll", "sides": 1, "label": ""},
    {"kind": "roll", "sides": 2**32, "label": "word"},
    {"kind": "roll", "sides": 2**32 + 1, "label": "more"},
    {"kind": "roll", "sides": 0, "label": "none"},
    {"kind": "roll", "sides": -6, "label": "less"},
    {"kind": "roll", "sides": True, "label": "flag"},
    {"kind": "roll", "sides": 6.0, "label": "fraction"},
    {"kind": "roll", "sides": 6, "label": 1},
    {"kind": "roll", "sides": 6},
    {"kind": "roll", "label": "die", "sides": 6},
    {"sides": 6, "kind": "roll", "label": "die"},
    {"kind": "roll", "sides": 6, "label": "die", "items": []},
    {"kind": "spin", "sides": 6, "label": "die"},
)
OUTCOMES: tuple[Any, ...] = (1, 6, -1, 2**40, 1.0, True, None, [1], [[1]], {}, "edge")


def test_draws_of_dice_are_read_where_they_are_draws() -> None:
    asked = [{"type": "match.draw-asked.1", "id": "dice", "parts": [part]} for part in PARTS]
    settled = [
        {"type": "match.draw-settled.1", "id": "dice", "outcome": [side], "by": "manual",
         "key_commit": None}
        for side in OUTCOMES
    ]  # fmt: skip
    stored = [pack([0, 0, event]) for event in (*asked, *settled)]
    found = [answer.error is None for answer in as_records(stored)]
    assert found == list(map(is_record, stored))
    assert sum(found[: len(asked)]) == 3 and sum(found[len(asked) :]) == 5
