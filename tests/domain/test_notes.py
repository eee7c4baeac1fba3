"""Signed notes: the examples of their specification and of Go, and invalid ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.notes import Malformed, Note, Signature, read, verifier_key, written
from tests.support.evidence.known_notes import C2SP_KEY, GO_KEY, GO_NOTE


@pytest.mark.parametrize("text", [GO_KEY, C2SP_KEY])
def test_a_verifier_key_has_its_id_and_is_written_as_it_was(text: str) -> None:
    assert str(verifier_key(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "PeterNeumann", GO_KEY[1:], GO_KEY.replace("c74f20a3", "c74f20a4"), GO_KEY[:-1],
     GO_KEY.replace("+AR", "+AB"), GO_KEY + "AAAA", f"a b{GO_KEY[12:]}"],
)  # fmt: skip
def test_an_invalid_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        verifier_key(text)


def test_a_note_is_its_text_and_its_signatures() -> None:
    note = read(GO_NOTE)
    assert note.text.count("\n") == 2
    (signed,) = note.signatures
    assert (signed.name, signed.key_id) == ("PeterNeumann", verifier_key(GO_KEY).key_id)
    assert written(note) == GO_NOTE


@pytest.mark.parametrize(
    "note",
    ["", "text\n", "text\n\n", "text\n\n— a\n", "text\n\n— a AAAA\n", "text\n\n- a AAAAAAA=\n",
     "text\n\n— a AAAAAAA=", "te\txt\n\n— a AAAAAAA=\n", "text\n\n— a AAAAAAB=\n",
     "text\n\n— a+b AAAAAAA=\n", "text\n\n" + "— a AAAAAAA=\n" * 17],
)  # fmt: skip
def test_an_invalid_note_is_refused(note: str) -> None:
    with pytest.raises(Malformed):
        read(note)


lines = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=12)
signatures = st.builds(
    Signature,
    st.from_regex(r"[a-z./]{1,9}", fullmatch=True),
    st.binary(min_size=4, max_size=4),
    st.binary(min_size=1, max_size=70),
)


@given(st.lists(lines, min_size=1), st.lists(signatures, min_size=1, max_size=16))
def test_every_note_is_read_as_it_was_written(text: list[str], signed: list[Signature]) -> None:
    note = Note("".join(f"{line}\n" for line in text), tuple(signed))
    assert read(written(note)) == note
