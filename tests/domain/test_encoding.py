"""The storage format: every event survives a round trip, an old shape becomes today's."""

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from domain.cases.state import AboutTournament
from domain.encoding import Upcaster, decode, encode
from domain.events import STORED_NAME, Event, Instant, PublicEvent, Record, stored_name
from domain.games import AnyEvent
from domain.games.dollar_prize.events import CoinPlaced
from domain.rulings.kinds import Change, Extend, Penalty, Redraw, Rewind

KINDS: tuple[type[Event], ...] = get_args(AnyEvent)

plain: "st.SearchStrategy[Any]" = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.text(max_size=9)
)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(-(2**63), 2**64 - 1),
    str: st.text(max_size=20),
    bytes: st.binary(max_size=40),
    NoneType: st.none(),
    UnsetType: st.just(UNSET),
    Any: st.recursive(
        plain,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=5,
    ),
}


def values(hint: Any) -> "st.SearchStrategy[Any]":
    """Any value of a field's type."""
    kind, inner = get_origin(hint), get_args(hint)
    if kind is Annotated:
        return _within(*inner)
    if hint in PLAIN:
        return PLAIN[hint]
    if kind is Literal:
        return st.sampled_from(inner)
    if kind in (Union, UnionType):
        return st.one_of(*map(values, inner))
    if kind is dict:
        return st.dictionaries(values(inner[0]), values(inner[1]), max_size=3)
    if kind is tuple and inner[1:] == (...,):
        return st.lists(values(inner[0]), max_size=4).map(tuple)
    if kind is tuple:
        return st.tuples(*map(values, inner))
    return structs(hint)


def _within(hint: Any, *metas: Meta) -> "st.SearchStrategy[Any]":
    """Any value of a field's type within what it declares."""

    def declared(name: str) -> Any:
        return next((value for one in metas if (value := getattr(one, name)) is not None), None)

    least, most, shortest = declared("ge"), declared("le"), declared("min_length")
    if declared("gt") is not None:
        least = declared("gt") + 1
    if (pattern := declared("pattern")) is not None:
        return st.from_regex(pattern)
    if shortest is not None and get_origin(hint) is tuple:
        return st.lists(values(get_args(hint)[0]), min_size=shortest, max_size=4).map(tuple)
    if shortest is not None:
        return st.text(min_size=shortest, max_size=20)
    if least is None and most is None:
        return values(hint)
    return st.integers(-(2**63) if least is None else least, 2**64 - 1 if most is None else most)


def structs(kind: type[msgspec.Struct]) -> "st.SearchStrategy[Any]":
    """A Struct of this kind; type parameters are replaced by their arguments."""
    plain_kind = get_origin(kind) or kind
    given = dict(zip(getattr(plain_kind, "__parameters__", ()), get_args(kind), strict=True))
    hints = get_type_hints(plain_kind, include_extras=True)
    fields = {n: values(given.get(hints[n], hints[n])) for n in plain_kind.__struct_fields__}
    if plain_kind in POSSIBLE:
        return st.sampled_from(POSSIBLE[plain_kind])
    return st.builds(plain_kind, **fields)


CHANGES = (Change(redraw=Redraw("tie", ("heads", (2, "x")))), Change(strike=2**53), Change(admit=1))

POSSIBLE: dict[type[msgspec.Struct], tuple[msgspec.Struct, ...]] = {
    AboutTournament: (AboutTournament(1, 2), AboutTournament(player=0)),
    Extend: (Extend(deadline=1), Extend(seconds=1)),
    Change: CHANGES,
    Penalty: (Penalty(1, None, -3), Penalty(1, 2, 3), Penalty(1, garnets=1)),
    Rewind: (Rewind(7), Rewind(7, CHANGES, "while_legal"), Rewind(None, CHANGES[1:])),
}
"""Structs that not every combination of their fields makes."""

BACK = st.integers(0, 2**63 - 1)


@pytest.mark.parametrize("kind", KINDS, ids=stored_name)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_every_event_survives_a_round_trip(kind: type[Event], data: st.DataObject) -> None:
    record = Record(data.draw(values(Instant)), data.draw(BACK), data.draw(structs(kind)))
    read = decode(encode(record))
    assert read == record and type(read.event) is kind


def test_no_two_events_have_one_stored_name_and_none_is_a_path() -> None:
    names = [stored_name(kind) for kind in KINDS]
    assert len(set(names)) == len(names)
    assert all(STORED_NAME.fullmatch(name) for name in names)
    assert not any(kind.__module__ in name for kind, name in zip(KINDS, names, strict=True))


def test_the_bytes_are_the_instant_the_way_back_and_the_fields_under_the_stored_name() -> None:
    """A database and a MessagePack reader are enough to read a match."""
    state = encode(Record(12, 3, CoinPlaced(1, "dime")))
    assert msgspec.msgpack.decode(state) == [
        12,
        3,
        {"type": "dollar-prize.coin-placed.1", "seat": 1, "coin": "dime"},
    ]


# Old shapes.


def put(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Version 0 said `player` for `seat`."""
    return "dollar-prize.coin-put.1", {"seat": fields["player"], "cents": fields["cents"]}


def placed(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Version 1 gave a coin by its value."""
    return "dollar-prize.coin-placed.1", {"seat": fields["seat"], "coin": "dime"}


OLD: dict[str, Upcaster] = {"dollar-prize.coin-put.0": put, "dollar-prize.coin-put.1": placed}


@pytest.mark.parametrize("version", [0, 1])
def test_an_old_shape_is_read_as_todays(version: int) -> None:
    seat = "seat" if version else "player"
    fields = {"type": f"dollar-prize.coin-put.{version}", seat: 1, "cents": 10}
    state = msgspec.msgpack.encode((12, 3, fields))
    assert decode(state, OLD) == Record(12, 3, CoinPlaced(1, "dime"))


def test_an_event_of_todays_shape_passes_no_upcaster() -> None:
    record = Record(12, 0, CoinPlaced(1, "dime"))
    assert decode(encode(record), {stored_name(CoinPlaced): put}) == record


@pytest.mark.parametrize(
    "fields",
    [{"type": "dollar-prize.unheard-of.1"}, {"type": "dollar-prize.coin-placed.1", "seat": "x"}],
)
def test_an_unknown_shape_is_an_error_and_not_skipped(fields: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(msgspec.msgpack.encode((12, 0, fields)), OLD)


@pytest.mark.parametrize("back", [-1, 1.0, "1", None])
@pytest.mark.parametrize("name", ["dollar-prize.coin-placed.1", "dollar-prize.coin-put.1"])
def test_the_input_stands_no_negative_number_of_records_back(name: str, back: object) -> None:
    fields = {"type": name, "seat": 1, "coin": "dime", "cents": 10}
    with pytest.raises(msgspec.ValidationError):
        decode(msgspec.msgpack.encode((12, back, fields)), OLD)


def test_a_record_that_does_not_say_where_its_input_stands_is_an_error() -> None:
    fields = {"type": "dollar-prize.coin-placed.1", "seat": 1, "coin": "dime"}
    with pytest.raises(msgspec.ValidationError):
        decode(msgspec.msgpack.encode((12, fields)), OLD)


def test_an_unknown_field_of_a_later_release_does_not_stop_this_one() -> None:
    fields = {"type": "dollar-prize.coin-placed.1", "seat": 1, "coin": "dime", "mood": "good"}
    assert decode(msgspec.msgpack.encode((12, 3, fields))) == Record(12, 3, CoinPlaced(1, "dime"))


class _Unregistered(PublicEvent, frozen=True, tag="match.unregistered.1"):
    pass


def test_only_registered_events_can_be_read() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(encode(Record(12, 0, _Unregistered())))
