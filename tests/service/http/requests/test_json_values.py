"""JSON that clients send: what is one in JSON Schema is read as one, and nothing else."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.http.actions.actions import EnteredDraw
from service.http.requests.strict_json import (
    SentTwice,
    check_members,
    decoded_number,
    decoded_whole,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=20)
@given(VALUES)
def test_what_has_every_member_once_passes(value: Any) -> None:
    check_members(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"a":1,"a":1}', "/a"),
        ('{"a":1,"\\u0061":2}', "/a"),
        ('{"a":{"b":1,"c":[{"d":0},{"d":1,"d":2}]}}', "/a/c/1/d"),
        ('[{"/~":1,"/~":2}]', "/0/~1~0"),
        ('{"":0,"":0}', "/"),
    ],
)
def test_where_a_member_stands_twice_is_said(text: str, pointer: str) -> None:
    with pytest.raises(SentTwice) as twice:
        check_members(text.encode())
    assert twice.value.pointer == pointer


@pytest.mark.parametrize("text", ["5", "5.0", "5e0", "0.5e1", "50e-1", "5.000000000000000000000"])
def test_a_whole_number_is_one_however_it_is_written(text: str) -> None:
    for value in (decoded_whole(text.encode()), decoded_number(text)):
        assert (type(value), value) == (int, 5)


@pytest.mark.parametrize(
    "text", ["5.5", "4.0000000000000001", "1e-400", "9007199254740992.0", "1e300"]
)
def test_what_is_not_whole_exactly_or_too_large_for_readers_stays_as_it_is(text: str) -> None:
    assert decoded_whole(text.encode()) == float(text)
    assert isinstance(decoded_whole(text.encode()), float)


@pytest.mark.parametrize("text", ["1e999", "1e99999999999999999999999"])
def test_an_exponent_that_nobody_can_hold_is_no_whole_number(text: str) -> None:
    assert decoded_whole(text.encode()) == float("inf")


@pytest.mark.parametrize("text", ["", "x", "true", "null", '"5"', "[5]", "0x5", "NaN", "\ud800"])
def test_a_parameter_that_is_no_number_is_a_text(text: str) -> None:
    assert decoded_number(text) == text


# A number that no record can contain is malformed: it must never reach the store.


@pytest.mark.parametrize("number", [2**53, 2**64, -(2**63) - 1, 10**30])
@pytest.mark.parametrize("part", ["{}", "[{}]"])
def test_an_outcome_has_only_whole_numbers_that_every_reader_can_represent(
    number: int, part: str
) -> None:
    entered = part.format(number)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(f'{{"id":"d","outcome":[{entered}]}}', type=EnteredDraw)
