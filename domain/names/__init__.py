"""Names of people: which are good, and which are one and the same (/docs/api#names).

Every name that anyone gives to a seat, a player, a moderator or the holder of a key is judged
here, by Unicode's own tables: what looks alike (UTS #39), what may join letters and emoji (UAX #31,
UTS #51). `confusables.txt` and `emoji.txt` next to this file are those of Unicode 17.0.0, under the
licence in UNICODE-LICENSE.txt: what each character is confused with (`from=to`), and the emoji
sequences recommended for interchange that have characters which show nothing by themselves, all in
hexadecimal code points. `python -m tests.unicode` makes them.

Whether a name is someone's does not depend on whether it is a good one.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Literal
from unicodedata import name as name_of
from unicodedata import normalize

import idna

from domain.registry import text_beside

LONGEST_NAME = 64

GOOD_NAME = (
    f"A name is 1 to {LONGEST_NAME} printable characters with no space at its ends, and no word of "
    "it mixes Latin, Greek and Cyrillic letters."
)

Fault = Literal["taken", "not_good"]
"""Why someone cannot have a name."""

IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Characters that show nothing (Default_Ignorable_Code_Point, and the blank of Braille)."""

JOINERS = "\u200c\u200d"

ALPHABETS = {"LATIN", "GREEK", "CYRILLIC"}
"""Alphabets with letters that look the same."""


def fault_in(name: str, others: Iterable[str] = ()) -> Fault | None:
    """Why no one can have this name next to these others: one of them has it, however it is
    written, or it is no good name. None if someone can."""
    return next(faults_in((name,), others))


def faults_in(names: Iterable[str], others: Iterable[str] = ()) -> Iterator[Fault | None]:
    """The same of each of these names, next to those before it, too."""
    had = {form for other in others for form in _forms(other)}
    for name in names:
        mine = _forms(name)
        is_taken = not had.isdisjoint(mine)
        had |= mine
        yield "taken" if is_taken else None if readable(name) and one_alphabet(name) else "not_good"


def is_of(name: str, people: Iterable[str]) -> bool:
    """Whether one of these people has the name, however it is written: it looks or sounds so."""
    mine = _forms(name)
    return any(not mine.isdisjoint(_forms(other)) for other in people)


def first_fault(names: Iterable[str]) -> Fault | None:
    """The fault in the first of these names that cannot be had next to those before it."""
    return next(filter(None, faults_in(names)), None)


def readable(name: str) -> bool:
    """Whether people can read the name: visible, printable and not too long. What shows nothing may
    stand where it joins letters, or an emoji."""
    # Of letters that all show something every emoji is a good one, too.
    text = name if name.isprintable() else _emoji().sub("\u263a", name)
    plain = all(letter.isprintable() or letter in JOINERS for letter in text)
    is_readable = plain and all(
        _joins(text, at) for at, symbol in enumerate(text) if symbol in JOINERS
    )
    return (
        is_readable
        and 0 < len(name) <= LONGEST_NAME
        and name == name.strip()
        and person_of(name) != ""
    )


@lru_cache(4096)
def skeleton_of(name: str) -> str:
    """What is equal for all names that look like this one: its skeleton (UTS #39 §4)."""
    return _skeleton(normalize("NFKC", name))


@lru_cache(4096)
def person_of(name: str) -> str:
    """What is equal for all spellings of a person's name: as it looks, regardless of case."""
    return _skeleton(normalize("NFKC", normalize("NFKC", name).casefold())).casefold()


def one_alphabet(name: str) -> bool:
    """Whether no word of the name mixes alphabets whose letters look the same."""
    alphabets_of_words = (
        {name_of(letter, "").partition(" ")[0] for letter in word} for word in name.split()
    )
    return all(len(alphabets & ALPHABETS) <= 1 for alphabets in alphabets_of_words)


def _forms(name: str) -> set[tuple[str, str]]:
    return {("seen", skeleton_of(name)), ("spoken", person_of(name))}


def _skeleton(text: str) -> str:
    visible = IGNORED.sub("", normalize("NFD", text)).translate(_confusables())
    return " ".join(normalize("NFD", visible).split())


def _joins(text: str, at: int) -> bool:
    """Whether the joiner at this place stands where letters are joined (UAX #31: A1, A2, B)."""
    return text[at + 1 : at + 2].isalpha() and idna.valid_contextj(text, at)


@cache
def _confusables() -> dict[int, str]:
    pairs = (pair.split("=") for pair in text_beside(__name__, "confusables.txt").split())
    return {int(code, 16): _text(other) for code, other in pairs}


@cache
def _emoji() -> re.Pattern[str]:
    sequences = map(_text, text_beside(__name__, "emoji.txt").split())
    return re.compile("|".join(map(re.escape, sorted(sequences, key=len, reverse=True))))


def _text(points: str) -> str:
    return "".join(chr(int(point, 16)) for point in points.split("."))
