"""Signed notes: the examples of their specification and of Go, and invalid ones."""

from base64 import b64encode
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.proof.notes import (
    Malformed,
    Signature,
    SignedNote,
    VerifierKey,
    format_note,
    read,
    verifier_key,
)
from tests.support.evidence.known_notes import C2SP_KEY, GO_KEY, GO_NOTE


@pytest.mark.parametrize("text", [GO_KEY, C2SP_KEY])
def test_a_verifier_key_has_its_id_and_is_written_as_it_was(text: str) -> None:
    assert str(verifier_key(text)) == text


NO_KEY = "not a verifier key"
OTHER_ID = "the verifier key does not have the id that it says"
NO_BASE64 = "not base64"
OTHERWISE = "base64 that could be written otherwise"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", NO_KEY),
        ("PeterNeumann", NO_KEY),
        (GO_KEY[1:], OTHER_ID),
        (GO_KEY.replace("c74f20a3", "c74f20a4"), OTHER_ID),
        (GO_KEY[:-1], NO_BASE64),
        (GO_KEY.replace("+AR", "+AB"), NO_KEY),
        (f"{GO_KEY}AAAA", NO_KEY),
        (f"a b{GO_KEY[12:]}", NO_KEY),
    ],
)
def test_an_invalid_verifier_key_is_refused(text: str, why: str) -> None:
    with pytest.raises(Malformed, match=f"^{why}$"):
        verifier_key(text)


def test_a_note_is_its_text_and_its_signatures() -> None:
    note = read(GO_NOTE)
    assert note.text.count("\n") == 2
    (signed,) = note.signatures
    assert (signed.name, signed.key_id) == ("PeterNeumann", verifier_key(GO_KEY).key_id)
    assert format_note(note) == GO_NOTE


NO_SIGNATURES = "no signatures after a blank line"
NO_LINE = "not a signature line"


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ("", NO_SIGNATURES),
        ("text\n", NO_SIGNATURES),
        ("text\n\n", NO_SIGNATURES),
        ("— a AAAAAAA=\n", NO_SIGNATURES),
        ("text\n— a AAAAAAA=\n", NO_SIGNATURES),
        ("text\n\n— a AAAAAAA=", NO_SIGNATURES),
        ("text\n\n— a AAAAAAA=x", NO_SIGNATURES),
        ("text\n\n— a\n", NO_LINE),
        ("text\n\n— a AAAA\n", NO_LINE),
        ("text\n\n— a AAAAAA==\n", NO_LINE),
        ("text\n\na AAAAAAA=\n", NO_LINE),
        ("text\n\n- a AAAAAAA=\n", NO_BASE64),
        ("text\n\n— a b AAAAAAA=\n", NO_BASE64),
        ("text\n\n— a AAAA*AAA=\n", NO_BASE64),
        ("text\n\n— a AAAAAAB=\n", OTHERWISE),
        ("text\n\n— a AAAAAA+=\n", OTHERWISE),
        ("te\txt\n\n— a AAAAAAA=\n", "a control character"),
        ("text\n\n— a+b AAAAAAA=\n", NO_LINE),
        ("text\n\n" + "— a AAAAAAA=\n" * 17, "too many signatures"),
    ],
)
def test_an_invalid_note_is_refused(note: str, why: str) -> None:
    with pytest.raises(Malformed, match=f"^{why}$"):
        read(note)


SIGNED = "— a AAAAAAA=\n"


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (f"\n\n{SIGNED}", "\n"),
        (f"text\n\n{SIGNED}", "text\n"),
        (f"text\n\n\n{SIGNED}", "text\n\n"),
        (f"\n\n\n\n{SIGNED}", "\n\n\n"),
        (f"one\n\ntwo\n\n{SIGNED}", "one\n\ntwo\n"),
        (f"one\n\n{SIGNED}\n{SIGNED}", f"one\n\n{SIGNED}"),
    ],
)
def test_the_last_blank_line_ends_the_text(note: str, text: str) -> None:
    assert read(note) == SignedNote(text, (Signature("a", bytes(4), b"\0"),))
    assert format_note(read(note)) == note


@pytest.mark.parametrize("count", [1, 2, 16])
def test_a_note_has_up_to_16_signatures(count: int) -> None:
    assert len(read("text\n\n" + SIGNED * count).signatures) == count


@pytest.mark.parametrize("number", [*range(10), *range(11, 32)])
def test_a_note_has_no_control_character_but_newlines(number: int) -> None:
    with pytest.raises(Malformed):
        read(f"te{chr(number)}xt\n\n{SIGNED}")
    assert read(f"te{chr(number + 32)}xt\n\n{SIGNED}").text == f"te{chr(number + 32)}xt\n"


def key_of(raw: bytes, name: str = "a") -> str:
    """A verifier key whose id is right, whatever it contains."""
    key_id = sha256(name.encode() + b"\n" + raw).digest()[:4]
    return f"{name}+{key_id.hex()}+{b64encode(raw).decode()}"


def test_a_verifier_key_has_32_bytes_after_its_kind() -> None:
    public = bytes(range(32))
    assert verifier_key(key_of(b"\1" + public)) == VerifierKey("a", public)
    for raw in (b"\1" + public[1:], b"\1" + public + b"\0", b"\0" + public, b"\2" + public):
        with pytest.raises(Malformed, match=f"^{NO_KEY}$"):
            verifier_key(key_of(raw))


def test_the_base64_of_a_verifier_key_may_have_plus_signs() -> None:
    key = VerifierKey("a", bytes(2) + b"\xfb\xef\xbe" * 10)
    assert "+" in str(key).split("+", 2)[2]
    assert verifier_key(str(key)) == key


@pytest.mark.parametrize("name", ["", "a b", "a\n", " a", "a\u2003b"])
def test_a_name_of_a_key_has_no_space(name: str) -> None:
    raw = b"\1" + bytes(32)
    with pytest.raises(Malformed):
        verifier_key(key_of(raw, name))
    with pytest.raises(Malformed):
        read(f"text\n\n— {name} AAAAAAA=\n")


lines = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=12)
signatures = st.builds(
    Signature,
    st.from_regex(r"[a-z./]{1,9}", fullmatch=True),
    st.binary(min_size=4, max_size=4),
    st.binary(min_size=1, max_size=70),
)


@given(st.lists(lines, min_size=1), st.lists(signatures, min_size=1, max_size=16))
def test_every_note_is_read_as_it_was_written(text: list[str], signed: list[Signature]) -> None:
    note = SignedNote("".join(f"{line}\n" for line in text), tuple(signed))
    assert read(format_note(note)) == note
