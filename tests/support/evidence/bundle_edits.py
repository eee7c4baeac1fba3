"""Random edits of a bundle's parts: lines and bytes dropped, doubled, exchanged, inserted."""

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from domain.proof.notes import SignedNote, format_note, read
from projections.evidence.bundle import HASHED
from tests.support.evidence.forged_bundles import Parts
from tests.support.evidence.record_changes import others

NOTES = ("manifest", "checkpoint")
LINED = ("leaves", "openings", "receipts")

Edit = Callable[[Random, Parts, Parts], Parts | None]
"""Edits the parts of a bundle; the second parts are those of another bundle. None if the edit
changes nothing."""


def edited(edit: Edit, rng: Random, parts: Parts, other: Parts) -> Parts | None:
    """The parts after an edit that changed them; None if it cannot."""
    for _ in range(20):
        changed = edit(rng, parts, other)
        if changed is not None and changed != parts:
            return changed
    return None


def _lines(edit: Callable[[Random, list[bytes], list[bytes]], list[bytes]]) -> Edit:
    """An edit of the lines of one part."""

    def of_lines(rng: Random, parts: Parts, other: Parts) -> Parts | None:
        name = rng.choice(LINED)
        lines, foreign = (one[name].splitlines(keepends=True) for one in (parts, other))
        if not lines or not foreign:
            return None
        return {**parts, name: b"".join(edit(rng, lines, foreign))}

    return of_lines


def _bytes(edit: Callable[[Random, bytes], bytes]) -> Edit:
    """An edit of the bytes of one part."""

    def of_bytes(rng: Random, parts: Parts, other: Parts) -> Parts | None:
        name = rng.choice(HASHED)
        return {**parts, name: edit(rng, parts[name])} if parts[name] else None

    return of_bytes


def _dropped(rng: Random, lines: list[bytes], foreign: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    return lines[:at] + lines[at + 1 :]


def _doubled(rng: Random, lines: list[bytes], foreign: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    return lines[: at + 1] + lines[at:]


def _swapped(rng: Random, lines: list[bytes], foreign: list[bytes]) -> list[bytes]:
    one, another = rng.randrange(len(lines)), rng.randrange(len(lines))
    changed = list(lines)
    changed[one], changed[another] = lines[another], lines[one]
    return changed


def _put_in(rng: Random, lines: list[bytes], foreign: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines) + 1)
    return [*lines[:at], rng.choice(foreign), *lines[at:]]


def _replaced(rng: Random, lines: list[bytes], foreign: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    return [*lines[:at], rng.choice(foreign), *lines[at + 1 :]]


def _field_changed(rng: Random, lines: list[bytes], foreign: list[bytes]) -> list[bytes]:
    """A member of a line that is an object, a line of a note that is a text."""
    at = rng.randrange(len(lines))
    value = msgspec.json.decode(lines[at])
    if isinstance(value, dict):
        name = rng.choice(sorted(value))
        value[name] = rng.choice([one for one in others(value[name]) if _jsonable(one)])
    else:
        value = _note_changed(rng, value)
    changed = msgspec.json.encode(value, order="sorted") + b"\n"
    return [*lines[:at], changed, *lines[at + 1 :]]


def _jsonable(value: Any) -> bool:
    return value is None or isinstance(value, int | str)


def _note_changed(rng: Random, note: str) -> str:
    """The note with a word more, less, or another in its text."""
    parsed_note = read(note)
    words = parsed_note.text.split(" ")
    at = rng.randrange(len(words))
    words[at : at + 1] = rng.choice(([], [words[at]] * 2, ["1"], [rng.choice(words)]))
    return format_note(SignedNote(" ".join(words), parsed_note.signatures))


def _byte_changed(rng: Random, part: bytes) -> bytes:
    at = rng.randrange(len(part))
    return part[:at] + bytes([part[at] ^ 1 << rng.randrange(8)]) + part[at + 1 :]


def _byte_dropped(rng: Random, part: bytes) -> bytes:
    at = rng.randrange(len(part))
    return part[:at] + part[at + 1 :]


def _byte_put_in(rng: Random, part: bytes) -> bytes:
    at = rng.randrange(len(part) + 1)
    return part[:at] + rng.randbytes(1) + part[at:]


def _cut_off(rng: Random, part: bytes) -> bytes:
    return part[: rng.randrange(len(part))]


def _emptied(rng: Random, parts: Parts, other: Parts) -> Parts:
    return {**parts, rng.choice(LINED): b""}


def _of_another(rng: Random, parts: Parts, other: Parts) -> Parts:
    name = rng.choice(HASHED)
    return {**parts, name: other[name]}


def _exchanged(rng: Random, parts: Parts, other: Parts) -> Parts:
    one, another = rng.sample(HASHED, 2)
    return {**parts, one: parts[another], another: parts[one]}


EDITS: dict[str, Edit] = {
    "line dropped": _lines(_dropped),
    "line doubled": _lines(_doubled),
    "lines swapped": _lines(_swapped),
    "line of another match put in": _lines(_put_in),
    "line replaced by another match's": _lines(_replaced),
    "field changed": _lines(_field_changed),
    "byte changed": _bytes(_byte_changed),
    "byte dropped": _bytes(_byte_dropped),
    "byte put in": _bytes(_byte_put_in),
    "cut off": _bytes(_cut_off),
    "emptied": _emptied,
    "part of another match": _of_another,
    "parts exchanged": _exchanged,
}
"""Edits of the parts that the manifest hashes."""


def _note_of_another(rng: Random, parts: Parts, other: Parts) -> Parts:
    name = rng.choice(NOTES)
    return {**parts, name: other[name]}


def _word_changed(rng: Random, parts: Parts, other: Parts) -> Parts:
    name = rng.choice(NOTES)
    return {**parts, name: _note_changed(rng, parts[name].decode()).encode()}


def _signatures_exchanged(rng: Random, parts: Parts, other: Parts) -> Parts:
    manifest, checkpoint = (read(parts[name].decode()) for name in NOTES)
    return {
        **parts,
        "manifest": format_note(SignedNote(manifest.text, checkpoint.signatures)).encode(),
        "checkpoint": format_note(SignedNote(checkpoint.text, manifest.signatures)).encode(),
    }


NOTE_EDITS: dict[str, Edit] = {
    "note of another match": _note_of_another,
    "word of a note changed": _word_changed,
    "signatures exchanged": _signatures_exchanged,
}
"""Edits of the signed parts themselves."""
