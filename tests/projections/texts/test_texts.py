"""The catalogue of what happens: of a game, of events that exist, and the same in all languages."""

from pathlib import Path
from typing import get_args

import pytest

from domain.events import stored_name
from domain.games import GAMES, AnyEvent
from projections import texts
from projections.texts import ENGLISH, catalogue, event_fields, texts_in
from projections.texts.event_text import told

FOLDER = Path(texts.__file__).parent
LANGUAGES = sorted(path.name for path in FOLDER.iterdir() if (path / "fields.json").exists())
STORED = {stored_name(kind): kind for kind in get_args(AnyEvent)}


@pytest.mark.parametrize("folder", [*LANGUAGES, "seats"])
def test_every_file_is_of_a_game(folder: str) -> None:
    of_all = {"match", "fields"}
    assert {file.stem for file in (FOLDER / folder).iterdir()} <= GAMES.keys() | of_all


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same(language: str) -> None:
    assert [name for name in catalogue() if placed(language, name) != placed(ENGLISH, name)] == []


def placed(language: str, name: str) -> set[str]:
    """The fields in a text."""
    text = catalogue(language)[name]
    assert isinstance(text, str)
    return {piece.partition("}")[0] for piece in text.split("{")[1:]}


def test_every_sentence_is_of_an_event_and_its_fields() -> None:
    for name in catalogue():
        of, _, rest = name.partition(".")
        if of == "event" and rest.count(".") > 1:
            stored = ".".join(rest.split(".")[:3])
            fields = STORED[stored].__struct_encode_fields__
            assert {path.partition(".")[0] for path in placed(ENGLISH, name)} <= set(fields)
            assert rest.removeprefix(stored).removeprefix(".no-") in ("", *fields)


def test_a_text_that_differs_between_two_files_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"event.value.bid": "bid", "b": "1"}')
    (tmp_path / "b.json").write_text('{"event.value.bid": "bid"}')
    assert texts_in(tmp_path) == {"event.value.bid": "bid", "b": "1"}
    (tmp_path / "b.json").write_text('{"b": "2"}')
    with pytest.raises(AssertionError, match=r"exist twice: \['b'\]"):
        texts_in(tmp_path)


def test_an_event_without_a_sentence_is_shown_by_its_fields() -> None:
    fields = {"seat": 1, "votes": [2, 0], "shown": {"by": 0, "dice": []}, "seats": [0, 1]}
    said = told("new-game.card-played.1", fields, ("Ann", "Ben"))
    assert said == (
        "card played: seat Ben; votes Ann 2, Ben 0; shown by Ann, dice none; seats Ann, Ben"
    )
    assert told("odd", {}, ()) == ""


def test_a_field_of_seats_is_one_of_an_event_an_action_or_a_view() -> None:
    known = event_fields()
    assert "seat" in known.seats and not known.seats & known.of_each_seat
