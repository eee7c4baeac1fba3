"""The page of changes has every change since the last release, with a note where clients break."""

import msgspec
import pytest

from tests.recorded.api_changes import PAGE, page
from tests.support.api_changes.change import Change
from tests.support.api_changes.change_log import MISSING, released, with_changes
from tests.support.api_changes.recorded_description import present_description, without_prose

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
