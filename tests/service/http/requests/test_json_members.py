"""A member that stands twice in an object makes a text no JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.http.requests.json_members import SentTwice, check_members

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
