"""Texts for people: of menus, of what happens, and of people, who cannot be confused."""

from pathlib import Path
from typing import Annotated, get_args

import pytest
from msgspec import Meta, Struct

from domain.events import Event, Record, stored_name
from domain.games import GAMES, AnyEvent
from domain.match.events import ActionReceived, Directed, PhaseClosed
from domain.match.key_events import ModeratorKeyIssued, SeatKeyIssued
from projections import texts
from projections.texts import ENGLISH, catalogue, event_fields, texts_in
from projections.texts.action_texts import action_texts, titled
from projections.texts.event_text import account, sentence_of
from projections.texts.plain_text import person, quote_name
from service.http.games import schema_of
from tests.support.evidence.recorded_timelines import entries_of
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.match_table import seated

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
    said = sentence_of("new-game.card-played.1", fields, ("Ann", "Ben"))
    assert said == (
        "card played: seat Ben; votes Ann 2, Ben 0; shown by Ann, dice none; seats Ann, Ben"
    )
    assert sentence_of("odd", {}, ()) == ""


def test_a_field_of_seats_is_one_of_an_event_an_action_or_a_view() -> None:
    known = event_fields()
    assert "seat" in known.seats and not known.seats & known.of_each_seat


class Bid(Struct, frozen=True, tag="big_bid", forbid_unknown_fields=True):
    """Bids
    for it."""

    of_chips: int
    by: Annotated[int, Meta(title="Seat", description="Who bids.")] = 0


def test_a_title_is_the_name_in_words_unless_it_has_one() -> None:
    text = action_texts(Bid)["big_bid"]
    assert (text.title, text.description) == ("Big bid", "Bids for it.")
    assert (text.fields["by"].title, text.fields["by"].description) == ("Seat", "Who bids.")
    assert text.fields["of_chips"].title == text.fields["of_chips"].description == "Of chips"


@pytest.mark.parametrize("game", GAMES)
def test_every_action_and_field_is_described(game: str) -> None:
    for text in action_texts(GAMES[game].Action).values():
        for one in (text, *text.fields.values()):
            assert one.title
            assert one.description.endswith(".")


@pytest.mark.parametrize("game", GAMES)
def test_the_schemas_of_a_game_have_the_texts_of_its_menus(game: str) -> None:
    texts = action_texts(GAMES[game].Action)
    parts = titled(schema_of(GAMES[game].Action), texts)["$defs"].values()
    of_actions = {p["properties"]["type"]["const"]: p for p in parts if "properties" in p}
    assert of_actions.keys() == texts.keys()
    for kind, text in texts.items():
        assert of_actions[kind]["title"] == text.title
        for name, field in text.fields.items():
            assert of_actions[kind]["properties"][name]["description"] == field.description


@pytest.mark.parametrize("name", ["Ann", "Ben Lee", "Čeněk", "O'Neill", "J. R.", "Anne-Marie", "7"])
def test_a_name_stands_as_it_is(name: str) -> None:
    assert quote_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["clock", "Moderator Eve", "seat 1", "public", "nobody", "Ann, Ben", "Ann; coin dime", "*", ""],
)
def test_a_name_that_could_be_other_words_is_quoted(name: str) -> None:
    assert quote_name(name) == f'"{name}"'


def test_a_name_with_joiners_stands_as_it_is_and_no_other_control_does() -> None:
    assert quote_name("ශ්\u200dරී") == '"ශ්\u200dරී"'
    assert quote_name("An\u200dn") == r'"An\u200dn"'
    assert quote_name("An\u202en") == r'"An\u202en"'


def test_a_name_cannot_end_its_own_quotation() -> None:
    assert quote_name('x" and "y') == r'"x\" and \"y"'


def test_equal_names_of_a_forged_record_are_told_apart_by_their_seats() -> None:
    assert [person(seat, ("Ann", "Ann", "Cy")) for seat in range(4)] == [
        "seat 0 Ann", "seat 1 Ann", "Cy", "seat 3",
    ]  # fmt: skip


# Who directed.


def closed_by(directed: Event | None) -> list[str | None]:
    """The actors of a phase closed by hand and what is on record after it."""
    after = [] if directed is None else [Record(NOON, 1, directed)]
    created = seated(GAMES["dollar-prize"]).records
    entries = entries_of([*created, Record(NOON, 0, PhaseClosed("turn")), *after])
    return [entry.actor for entry in entries[len(created) :]]


def test_a_moderator_is_named_by_who_directed_the_input() -> None:
    assert closed_by(Directed("Eve", "9f2c")) == ["moderator Eve", "service"]
    assert closed_by(Directed("seat 0", "9f2c")) == ['moderator "seat 0"', "service"]


def test_a_key_without_a_name_is_named_by_its_id() -> None:
    assert closed_by(Directed(None, "9f2c")) == ["moderator (key 9f2c)", "service"]


def test_of_whoever_seconds_it_is_said_whose_the_key_is() -> None:
    theirs = Directed("Eve", "9f2c", "Olga", "0f0f", NOON)
    said = "This was ordered by Eve; key id 9f2c; issued by Olga; issuer 0f0f"
    assert account(theirs, ()) == f"{said}; theirs since 2026-01-01T12:00:00Z"
    issued = Directed("Eve", "9f2c", None, "0f0f", None)
    assert account(issued, ()) == "This was ordered by Eve; key id 9f2c; issuer 0f0f"


def test_a_key_is_renewed_by_its_holder() -> None:
    created = seated(GAMES["dollar-prize"]).when(START).records
    batches = [SeatKeyIssued(0, "bb", "aa"), ModeratorKeyIssued("dd", "Eve", "cc")]
    entries = entries_of([*created, *(Record(NOON, 0, one) for one in batches)])
    assert [entry.actor for entry in entries[-2:]] == ["Ann", "moderator"]
    said = account(batches[0], ("Ann", "Ben"))
    assert said == "Ann gets one more key; key id bb; renews aa"


def test_without_who_directed_the_input_no_moderator_is_named() -> None:
    assert closed_by(None) == ["moderator"]


def test_only_a_moderators_input_is_directed() -> None:
    created = seated(GAMES["dollar-prize"]).when(START).records
    sent = Record(NOON, 0, ActionReceived(0, {"type": "pass"}))
    forged = [*created, sent, Record(NOON, 1, Directed("Eve", "9f2c"))]
    assert entries_of(forged)[-2].actor == "Ann"
