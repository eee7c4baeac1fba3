"""The catalogue of what happens, in words: one for pages, audits, the command line and exports.

A language is a folder, with a file for the match of any game and one for each game that brings its
sentences: `event.<stored name>` with `{…}` for fields of the event, `….no-<field>` where that field
is empty, `event.value.<word>` for a word that a field can have. An event without a sentence is
shown by its name and its fields, which `field.<name>` has in words. What no language changes is in
`seats/`: which fields contain seats, and which have a value for each seat.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec
from msgspec import Struct

ENGLISH = "en"
FOLDER = files(__name__)

Text = str | dict[str, str]
"""A text with `{…}` for what is filled in. Where a number decides, it has a form for `one` and one
for `other`."""


class EventFields(Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of events and actions by their names, at any depth: those that contain seats, and
    those with a value for each seat. A field that does so only in an event, an action or a field of
    some name is written after that and a dot."""

    seats: frozenset[str]
    of_each_seat: frozenset[str]


def texts_in(folder: Traversable) -> dict[str, Text]:
    """The texts of all files of a folder. Raises AssertionError for one that exists twice."""
    all_texts: dict[str, Text] = {}
    for file in _files(folder):
        texts = msgspec.json.decode(file.read_bytes(), type=dict[str, Text])
        twice = [name for name in all_texts.keys() & texts.keys() if all_texts[name] != texts[name]]
        assert not twice, f"texts that exist twice: {sorted(twice)}"
        all_texts |= texts
    return all_texts


@cache
def catalogue(language: str = ENGLISH) -> dict[str, Text]:
    """The texts of a language; none in one without a folder."""
    folder = FOLDER.joinpath(language)
    return texts_in(folder) if folder.is_dir() else {}


@cache
def event_fields() -> EventFields:
    """The fields of the match and of all games."""
    parts = [
        msgspec.json.decode(file.read_bytes(), type=EventFields)
        for file in _files(FOLDER.joinpath("seats"))
    ]
    nothing = frozenset[str]()
    return EventFields(
        nothing.union(*(part.seats for part in parts)),
        nothing.union(*(part.of_each_seat for part in parts)),
    )


def _files(folder: Traversable) -> Iterator[Traversable]:
    return (file for file in folder.iterdir() if file.name.endswith(".json"))
