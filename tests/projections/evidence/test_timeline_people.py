"""The timeline names people: who directed the match, to those who may know it."""

import pytest

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.timeline import TimelineEntry, timeline_for
from tests.projections.evidence.directed_match import directed_match
from tests.support.evidence.recorded_timelines import entries_of

TABLE = directed_match()
ENTRIES = entries_of(TABLE.records)


def of_type(name: str, entries: list[TimelineEntry]) -> list[TimelineEntry]:
    return [entry for entry in entries if entry.type == f"match.{name}.1"]


@pytest.mark.parametrize("name", ["started", "phase-closed", "draw-refused", "sealed-draw-settled"])
def test_a_moderator_is_named(name: str) -> None:
    assert {entry.actor for entry in of_type(name, ENTRIES)} == {"moderator Eve"}


def test_keys_are_told_in_words() -> None:
    kinds = ("key-issued", "moderator-key-issued", "key-ended", "moderator-key-ended")
    assert [entry.what for kind in kinds for entry in of_type(kind, ENTRIES)] == [
        "Ann gets one more key; key id a000000000000001",
        "Mo gets a moderator's key; key id a000000000000002",
        "A moderator's key is issued; key id a000000000000003",
        "A key of Ann ends; key id a000000000000001",
        "A key of Ben ends; key id c000000000000000",
        "A moderator's key ends; key id a000000000000002",
    ]
    assert {e.actor for e in of_type("moderator-key-issued", ENTRIES)} == {
        "organiser Eve", "organiser (key f1f1f1f1f1f1f1f1)",
    }  # fmt: skip


@pytest.mark.parametrize("viewer", [PUBLIC_VIEWER, 0, 1])
def test_nobody_else_learns_a_name(viewer: Viewer) -> None:
    seen = timeline_for(ENTRIES, viewer)
    assert {entry.actor for entry in of_type("started", seen)} == {"moderator"}
    assert not any("Eve" in f"{entry.actor} {entry.what}" for entry in seen)
    assert timeline_for(ENTRIES, MODERATOR) == ENTRIES
