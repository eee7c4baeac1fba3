"""Signed notes, keys and signed texts, as the page reads them: as the domain does."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec.structs import asdict

from domain.proof import checkpoints, creation_notes, notes, receipts
from domain.proof.creation_notes import Beginning, CreationText
from domain.proof.notes import (
    Malformed,
    Signature,
    SignedNote,
    VerifierKey,
    format_note,
    verifier_key,
)
from domain.proof.receipts import DIRECTOR, Binding
from domain.proof.subjects import of_match
from projections.audience.disclosure import name_audience
from projections.evidence.bundle import HASHED, Manifest, manifest_text, parse_manifest
from projections.evidence.case import purpose, signed_for
from tests.support.effort import times
from tests.support.evidence.signed_bundles import KEYS, RECEIPTS, SIGNER, STRANGER
from tests.support.web.verifier_script import Json, PageAnswer, page_answers

TEXTS = times("values")
"""Number of damaged texts that are read."""

MATCH = "019b76da-a800-7000-8000-000000000000"
SUBJECT = of_match(MATCH)
HASHES = tuple(bytes([n]) * 32 for n in range(4))

CHECKPOINT = checkpoints.text(checkpoints.Checkpoint(MATCH, 41, HASHES[0]))
RECEIPT = receipts.text(
    receipts.ReceiptText(
        SUBJECT, 12, 345, "round1/bet", "2026-01-01T12:00:00Z", "2026-01-01T12:00:00.000165Z",
        "refused not_your_turn", "key-1", Binding(HASHES[1], HASHES[0], HASHES[2], HASHES[3]),
    )
)  # fmt: skip
PLAIN_RECEIPT = receipts.text(
    receipts.ReceiptText(
        SUBJECT, 0, 1, None, "2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z", "accepted", None,
        Binding(HASHES[2], None, HASHES[0], HASHES[1]),
    )
)  # fmt: skip
LATE_RECEIPT = receipts.text(
    receipts.ReceiptText(
        SUBJECT, 3, 7, "bet", "2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z", "invalid late", None,
        Binding(HASHES[2], HASHES[0], HASHES[1], HASHES[3]),
    )
)  # fmt: skip
ORDER_RECEIPT = receipts.text(
    receipts.ReceiptText(
        SUBJECT, DIRECTOR, 7, None, "2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z", "accepted",
        None,
        Binding(HASHES[2], HASHES[0], HASHES[1], HASHES[3]), "3f1c9a4e-0000-4000-8000-000000000000",
    )
)  # fmt: skip
CREATION, BY_HAND = (
    creation_notes.text(CreationText(MATCH, Beginning(HASHES[1], seed)))
    for seed in (HASHES[0], None)
)
MANIFEST = manifest_text(Manifest(SUBJECT, 3, "twelve-chips", 1, HASHES))
PUBLIC_MANIFEST = manifest_text(Manifest(SUBJECT, "public", "together", 12, HASHES[:3]))

SPOILERS = "\n\r\t\v\x1f \x00\u00a0\u2028\u3000\ufeff+—-=AZaz/0129.:é𝄞"


def spoilt(text: str, luck: Random) -> str:
    """The text with something changed, dropped, doubled or added."""
    at, other = luck.randrange(len(text) + 1), luck.randrange(len(text) + 1)
    match luck.randrange(5):
        case 0:
            return text[:at] + luck.choice(SPOILERS) + text[at + 1 :]
        case 1:
            return text[:at] + text[at + 1 :]
        case 2:
            return text[:at] + luck.choice(SPOILERS) + text[at:]
        case 3:
            return text[:at] + text[min(at, other) : max(at, other)] + text[at:]
    return text[: min(at, other)] + text[max(at, other) :]


def read_by(read: Callable[[str], Any], text: str) -> Any:
    """What the domain reads in a text; None if nothing."""
    try:
        return read(text)
    except Malformed:
        return None


def answers_to(questions: list[Json]) -> list[Any]:
    """What the page reads; None if nothing."""
    return [_read(found) for found in page_answers(questions)]


def _read(found: PageAnswer) -> Any:
    assert found.error in (None, "Malformed"), found
    return found.answer


def shown(value: Any) -> Any:
    return {"bytes": value.hex()} if isinstance(value, bytes) else value


def mapped(**fields: Any) -> Json:
    return {"map": {name: shown(value) for name, value in fields.items()}}


def unordered(found: Any) -> Any:
    return None if found is None else {"map": dict(found["map"])}


# Notes.


def a_note(luck: Random) -> str:
    signed = tuple(
        Signature(luck.choice(("a.example/log", "b", "é/x")), luck.randbytes(4), luck.randbytes(n))
        for n in luck.choices((1, 2, 3, 64), k=luck.choice((1, 1, 2, 16)))
    )
    text = luck.choice((CHECKPOINT, "one\n\ntwo\n", "\n", "é — 𝄞\n", "\n\n"))
    return format_note(SignedNote(text, signed))


def as_read(text: str) -> Json | None:
    note = read_by(notes.read, text)
    if note is None:
        return None
    signed = [[one.name, one.key_id.hex(), shown(one.raw)] for one in note.signatures]
    return {"said": note.text, "signatures": signed}


def test_notes_are_read_as_the_domain_reads_them() -> None:
    luck = Random("notes")
    whole = [a_note(luck) for _ in range(TEXTS // 2)]
    texts = [*whole, *(spoilt(text, luck) for text in whole)]
    found = answers_to([{"ask": "note", "text": text} for text in texts])
    assert dict(zip(texts, found, strict=True)) == {text: as_read(text) for text in texts}
    assert None in found and found[: len(whole)].count(None) == 0


@pytest.mark.parametrize("space", [chr(c) for c in range(0x3100) if chr(c).isspace()], ids=ascii)
def test_no_space_is_part_of_a_name(space: str) -> None:
    text = f"text\n\n— a{space}b AAAAAAA=\n"
    assert as_read(text) is None
    assert answers_to([{"ask": "note", "text": text}]) == [None]


# Keys.


def as_key(text: str) -> Json | None:
    key = read_by(verifier_key, text)
    if key is None:
        return None
    return {"name": key.name, "purpose": purpose(key), "id": key.key_id.hex()}


def test_keys_are_read_as_the_domain_reads_them() -> None:
    luck = Random("keys")
    names = ("a/log", "log", "x.example/receipts", "a/b/", "é/log", "a/log/x")
    whole = [str(VerifierKey(luck.choice(names), luck.randbytes(32))) for _ in range(TEXTS // 2)]
    texts = [*whole, *(spoilt(text, luck) for text in whole)]
    found = answers_to([{"ask": "key", "text": text} for text in texts])
    assert dict(zip(texts, found, strict=True)) == {text: as_key(text) for text in texts}
    assert None in found and found[: len(whole)].count(None) == 0


def by(key: VerifierKey, text: str, key_id: bytes, raw: bytes) -> str:
    """The text with a signature under the name of a key."""
    return format_note(SignedNote(text, (Signature(key.name, key_id, raw),)))


NOTE = SIGNER.sign(CHECKPOINT)
(SIGNED,) = notes.read(NOTE).signatures
BOTH = NOTE + STRANGER.sign(CHECKPOINT).rpartition("\n\n")[2]
OTHER_LOG = VerifierKey("test.example/other/log", bytes(32))
OFF_CURVE = [
    VerifierKey(SIGNER.verifier.name, point) for point in (b"\xff" * 32, b"\x02" + bytes(31))
]
SIGNATURES: dict[str, tuple[str, str, tuple[VerifierKey, ...], bool]] = {
    "the key of logs": (NOTE, "log", KEYS, True),
    "the key of receipts": (RECEIPTS.sign(RECEIPT), "receipts", KEYS, True),
    "one of several": (BOTH, "log", KEYS, True),
    "the other of several": (BOTH, "log", (STRANGER.verifier,), True),
    "a log's for receipts": (NOTE, "receipts", KEYS, False),
    "a receipt's for logs": (RECEIPTS.sign(CHECKPOINT), "log", KEYS, False),
    "another key of the same name": (STRANGER.sign(CHECKPOINT), "log", KEYS, False),
    "only another key of the same name": (NOTE, "log", (STRANGER.verifier,), False),
    "no keys": (NOTE, "log", (), False),
    "another text": (NOTE.replace("\n41\n", "\n42\n"), "log", KEYS, False),
    "another name": (by(OTHER_LOG, CHECKPOINT, SIGNED.key_id, SIGNED.raw), "log", KEYS, False),
    "another id": (by(SIGNER.verifier, CHECKPOINT, b"same", SIGNED.raw), "log", KEYS, False),
    **{
        f"{length} bytes": (
            by(SIGNER.verifier, CHECKPOINT, SIGNER.verifier.key_id, bytes(length)),
            "log", KEYS, False,
        )
        for length in (1, 63, 65, 200)
    },
    **{
        f"no point {key.key_id.hex()}": (
            by(key, CHECKPOINT, key.key_id, bytes(64)), "log", (key,), False
        )
        for key in OFF_CURVE
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("note", "wanted", "keys", "is_signed"), SIGNATURES.values(), ids=SIGNATURES
)
def test_a_note_is_signed_by_a_key_of_this_purpose_name_and_id_for_this_text_alone(
    note: str, wanted: str, keys: tuple[VerifierKey, ...], is_signed: bool
) -> None:
    (found,) = page_answers(
        [{"ask": "signed", "text": note, "keys": list(map(str, keys)), "purpose": wanted}]
    )
    assert (found.error, found.answer) == (None, is_signed)
    assert signed_for(wanted, keys, notes.read(note)) is is_signed


# Signed texts.


def as_checkpoint(text: str) -> Json | None:
    said = read_by(checkpoints.parse, text)
    return None if said is None else mapped(match=said.log, size=said.size, root=said.root)


def as_receipt(text: str) -> Json | None:
    said = read_by(receipts.parse, text)
    if said is None:
        return None
    fields = asdict(said)
    bound, match = asdict(fields.pop("binding")), fields.pop("subject")
    return mapped(
        kind=match.kind,
        match=match.id,
        seedCommitted=bound.pop("seed_committed"),
        **fields,
        **bound,
    )


def as_creation(text: str) -> Json | None:
    said = read_by(creation_notes.parse, text)
    if said is None:
        return None
    begun = said.beginning
    return mapped(match=said.match, created=begun.created, seedCommitted=begun.seed_committed)


def as_manifest(text: str) -> Json | None:
    said = read_by(parse_manifest, text)
    if said is None:
        return None
    hashes = [[name, shown(one)] for name, one in zip(HASHED, said.hashes, strict=False)]
    seat = said.audience if isinstance(said.audience, int) else None
    fields = mapped(
        kind=said.subject.kind,
        match=said.subject.id,
        audience=name_audience(said.audience),
        seat=seat,
        game=said.game,
        rulesVersion=said.rules_version,
        matches=said.matches,
    )
    return {"map": {**fields["map"], "hashes": {"map": hashes}}}


@pytest.mark.parametrize(
    ("kind", "wholes", "read"),
    [
        ("checkpoint", [CHECKPOINT], as_checkpoint),
        ("receipt", [RECEIPT, PLAIN_RECEIPT, LATE_RECEIPT, ORDER_RECEIPT], as_receipt),
        ("creation", [CREATION, BY_HAND], as_creation),
        ("manifest", [MANIFEST, PUBLIC_MANIFEST], as_manifest),
    ],
)
def test_signed_texts_are_read_as_the_domain_reads_them(
    kind: str, wholes: list[str], read: Callable[[str], Json | None]
) -> None:
    luck = Random(kind)
    texts = [*wholes, *(spoilt(luck.choice(wholes), luck) for _ in range(TEXTS))]
    found = answers_to([{"ask": "text", "kind": kind, "text": text} for text in texts])
    every = {text: unordered(one) for text, one in zip(texts, found, strict=True)}
    assert every == {text: read(text) for text in texts}
    assert all(every[whole] for whole in wholes) and None in found
    assert len([one for one in found if one is not None]) > len(wholes)


NUMBERS = ("0", "1", "01", "-1", "1.0", "+1", " 1", "", "1" + "0" * 15, "1" + "0" * 16)
LENGTHS = (3, 4, 5, 9, 10, 16, 17)
LONG_NUMBERS = (*NUMBERS, *("8" * length for length in LENGTHS))


@pytest.mark.parametrize(
    ("kind", "whole", "read", "line"),
    [
        ("checkpoint", CHECKPOINT, as_checkpoint, "\n41\n"),
        ("receipt", RECEIPT, as_receipt, "seat 12\n"),
        ("receipt", RECEIPT, as_receipt, "count 345\n"),
        ("manifest", MANIFEST, as_manifest, "seat:3\n"),
        ("manifest", MANIFEST, as_manifest, "rules twelve-chips 1\n"),
    ],
)
def test_numbers_are_read_as_the_domain_reads_them(
    kind: str, whole: str, read: Callable[[str], Json | None], line: str
) -> None:
    start = line.rstrip("0123456789\n")
    assert line in whole
    texts = [whole.replace(line, f"{start or chr(10)}{number}\n") for number in LONG_NUMBERS]
    found = answers_to([{"ask": "text", "kind": kind, "text": text} for text in texts])
    assert [unordered(one) for one in found] == [read(text) for text in texts]
    assert 0 < found.count(None) < len(texts)
