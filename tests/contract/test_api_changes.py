"""The page of changes has every change since the last release, with a note where clients break."""

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import msgspec
import pytest

from tests.recorded.api_changes import PAGE, page
from tests.support.api_changes.change import Change
from tests.support.api_changes.change_log import MISSING, released, with_changes
from tests.support.api_changes.recorded_description import (
    Description,
    description_changes,
    present_description,
    without_prose,
)

GONE = Change("GET /v1/old", "is gone", breaking=True)
NEW = Change("GET /v1/new", "is new", breaking=False)

EMPTY = "# Changes\n\n## Unreleased\n\nNothing.\n\n## 0.1.0\n\n- the first\n"


def test_the_page_has_every_change_since_the_last_release() -> None:
    assert PAGE.read_text() == page(), "run `make api-changes`"


def test_every_change_that_breaks_clients_has_a_note() -> None:
    assert MISSING not in PAGE.read_text(), "say what clients have to do"


def test_given_a_change_that_breaks_when_written_then_a_note_is_needed_and_stays() -> None:
    written = with_changes(EMPTY, [GONE, NEW])
    assert (
        f"### Breaks clients\n\n- {GONE} — {MISSING}\n\n### Breaks nothing\n\n- {NEW}\n" in written
    )
    assert "Nothing." not in written and written.endswith("\n## 0.1.0\n\n- the first\n")
    noted = written.replace(MISSING, "use `GET /v1/new`")
    assert with_changes(noted, [GONE, NEW]) == noted
    assert with_changes(noted, []) == EMPTY


def test_given_notes_when_released_then_the_changes_are_those_of_the_release() -> None:
    written = with_changes(EMPTY, [GONE])
    with pytest.raises(ValueError, match="needs a note"):
        released(written, "0.2.0")
    made = released(written.replace(MISSING, "nothing else"), "0.2.0")
    assert made.index("Nothing.") < made.index("## 0.2.0") < made.index(str(GONE))
    assert with_changes(made, []) == made


def test_what_is_for_people_is_not_compared() -> None:
    schema = {"title": "A", "description": "b", "properties": {"title": {"examples": [1]}}}
    assert without_prose(schema) == {"properties": {"title": {}}}
    assert b'"description":"' not in msgspec.json.encode(present_description())


OF_THE_GAME = re.compile(r".*/(\w*LiarsDice\w*|(Bid|Challenge|Exact)(Entry)?)")


def without_the_game(value: Any) -> Any:
    """A description as it was before there was Liar's Dice."""
    if isinstance(value, list):
        return [
            without_the_game(one)
            for one in value
            if not (isinstance(one, dict) and OF_THE_GAME.fullmatch(one.get("$ref", "")))
        ]
    if isinstance(value, dict):
        return {word: without_the_game(inner) for word, inner in value.items()}
    return value


def test_given_a_new_game_when_compared_then_no_client_breaks() -> None:
    new = present_description()
    changes = description_changes(without_the_game(new), new)
    places = {"View in answers", "Line in answers", "Entry in answers", "NewMatch in requests"}
    assert places <= {change.where for change in changes}
    assert [str(change) for change in changes if change.breaking] == []


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda new: new["paths"].pop("/v1/matches/{id}/view"), "GET /v1/matches/{id}/view"),
        (lambda new: new["schemas"]["Receipt"]["properties"].pop("seq"), "Receipt in answers.seq"),
        (
            lambda new: new["schemas"]["NewRewind"]["required"].append("case"),
            "NewRewind in requests.case",
        ),
        (
            lambda new: new["schemas"]["MatchPausedLine"]["properties"]["data"]["required"].pop(),
            "MatchPausedLine in answers.data.left",
        ),
        (lambda new: new["messages"].pop("playEnd"), "message playEnd"),
    ],
)
def test_given_the_api_when_clients_break_then_the_change_needs_a_note(
    change: Callable[[Description], object], where: str
) -> None:
    new = deepcopy(present_description())
    change(new)
    found = description_changes(present_description(), new)
    assert where in {one.where for one in found if one.breaking}
    assert MISSING in with_changes(EMPTY, found)
