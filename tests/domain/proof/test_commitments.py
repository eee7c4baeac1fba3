"""Leaves of the log `arbiter-log/1`: their exact bytes, and commitments that open to one thing."""

import hmac
from base64 import b64encode
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.chance.generator import keyed, u64
from domain.proof.commitments import commitment, mac, private_leaf, public_leaf, salt

SALT = bytes(range(32))
MATCH = "0199aa00-0000-7000-8000-000000000000"


def test_a_public_leaf_is_compact_sorted_ascii() -> None:
    assert public_leaf(MATCH, 7, 1_767_268_800_000_000, b"\xff\x00") == (
        b'{"m":"0199aa00-0000-7000-8000-000000000000","n":7,"p":"/wA=","t":1767268800000000,"v":1}'
    )


def test_a_private_leaf_has_its_commitment_alone() -> None:
    committed = commitment(SALT, b"event")
    text = b64encode(committed).decode()
    assert (
        private_leaf(MATCH, 7, committed) == f'{{"c":"{text}","m":"{MATCH}","n":7,"v":1}}'.encode()
    )


def test_a_commitment_is_the_hmac_that_the_scheme_names() -> None:
    expected = hmac.new(SALT, b"arbiter-log/1/commit\nevent", sha256).digest()
    assert commitment(SALT, b"event") == expected


@given(st.binary(max_size=60), st.binary(max_size=60), st.binary(min_size=32, max_size=32))
def test_it_opens_to_the_committed_event_and_to_nothing_else(
    stored: bytes, other: bytes, salt: bytes
) -> None:
    committed = commitment(salt, stored)
    assert (commitment(salt, other) == committed) == (stored == other)
    assert commitment(sha256(salt).digest(), stored) != committed


@pytest.mark.parametrize("length", [0, 16, 31, 33, 64])
def test_a_salt_of_another_length_commits_to_nothing(length: int) -> None:
    with pytest.raises(AssertionError):
        commitment(bytes(length), b"event")


def test_a_leaf_that_would_not_be_ascii_is_an_error() -> None:
    with pytest.raises(AssertionError):
        public_leaf("mätch", 0, 0, b"event")


@given(st.binary(max_size=60), st.integers(0, 2**40))
def test_leaves_of_the_same_event_in_other_places_differ(stored: bytes, index: int) -> None:
    assert public_leaf(MATCH, index, 5, stored) != public_leaf(MATCH, index + 1, 5, stored)


def test_salts_follow_from_the_key_of_a_log_and_differ_from_event_to_event() -> None:
    key = bytes(range(32))
    salts = [salt(key, index) for index in (0, 1, 2, 255, 2**40)]
    assert salts == [keyed(key, "arbiter-log/1/salt", u64(n)) for n in (0, 1, 2, 255, 2**40)]
    assert len({*salts, salt(bytes(32), 0)}) == 6 and all(len(one) == 32 for one in salts)


@given(st.binary(max_size=64), st.binary(max_size=200))
def test_codes_are_those_of_the_standard_library(key: bytes, message: bytes) -> None:
    assert mac(key, message) == hmac.new(key, message, sha256).digest()
