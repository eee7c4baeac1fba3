"""A part of the oracle, and that it finds what it is for: the whole is run by hand."""

from pathlib import Path

import pytest

from tests.oracle.comparing import Added, Allowed, Difference, differences, left_out, report
from tests.oracle.histories import history, played
from tests.oracle.recording import (
    BASELINE,
    Recording,
    pack,
    read,
    record,
    scenario,
    write,
)
from tests.oracle.scenarios import people
from tests.oracle.stable import Names

BEFORE: Recording = {
    "http/a": {"GET /x": ["< 200", "seq 3", 'name "Ann"', "of [1, 4]"], "GET /y": ["< 200"]}
}


def compared(after: Recording, *rules: Allowed) -> tuple[list[str], bool]:
    return report(list(differences(BEFORE, after)), rules)


def test_two_recordings_of_a_scenario_are_the_same() -> None:
    one, other = (scenario("people/keys", people.keys) for _ in range(2))
    assert one == other and len(one) > 40


def test_a_recorded_match_is_told_to_each_audience() -> None:
    match = next(match for match in played() if match.name == "liars-dice.keys")
    units = history(match)
    assert units == history(match)
    lines = [line for unit in units.values() for line in unit]
    for audience in ("public", "moderator", "seat:0", "seat:1"):
        assert any(line.startswith(f"{audience}[].type ") for line in lines)
        assert any(line.startswith(f"view-of-{audience}.status ") for line in lines)


def test_a_recording_can_be_written_read_and_packed(tmp_path: Path) -> None:
    name = "history/liars-dice.keys"
    recorded = dict(record(name))
    write(tmp_path / "folder", iter(recorded.items()))
    pack(read(tmp_path / "folder"), tmp_path / "packed")
    assert recorded == read(tmp_path / "folder") == read(tmp_path / "packed")
    assert recorded.keys() == {name}


def test_the_kept_recording_has_every_area() -> None:
    kept = read(BASELINE)
    assert {name.partition("/")[0] for name in kept} == {"description", "http", "history", "roles"}
    assert {f"history/{match.name}" for match in played()} <= kept.keys()


def test_what_is_random_has_a_name_by_which_it_is_known_again() -> None:
    names, key = Names(), "arb_s0_" + "0" * 32 + "_" + "a1" * 32
    lines = names.lines({"key": key, "of": [{"ids": ["ab" * 8, "cd" * 8]}, {"again": key}]})
    assert lines == [
        'key "<key key>"',
        "of[]",
        'of[].ids ["<hex ids>", "<hex ids 2>"]',
        "of[]",
        'of[].again "<key key>"',
    ]


def test_the_same_has_no_differences() -> None:
    assert compared(BEFORE) == (["0 differences, 0 of them not allowed"], True)


@pytest.mark.parametrize(
    ("lines", "difference"),
    [
        (["< 404", 'name "Ann"'], Difference("http/a | GET /x", "seq 3", None)),
        (["< 200", "seq 3", "of [1, 4]"], Difference("http/a | GET /x", 'name "Ann"', None)),
        (["< 200", "seq 3", 'name "Bo"'], Difference("http/a | GET /x", 'name "Ann"', 'name "Bo"')),
    ],
)
def test_a_line_that_differs_is_found(lines: list[str], difference: Difference) -> None:
    after = {"http/a": BEFORE["http/a"] | {"GET /x": lines}}
    assert difference in list(differences(BEFORE, after))
    text, fine = compared(after)
    assert not fine and any((difference.before or "") in line for line in text)


def test_requests_and_areas_that_are_missing_or_new_are_found() -> None:
    after: Recording = {"http/a": {"GET /x": BEFORE["http/a"]["GET /x"]}, "http/b": {"GET /": []}}
    found = {one.text for one in differences(BEFORE, after)}
    assert found == {"http/a | GET /y: (all of it) -> ", "http/b | GET /:  -> (all of it)"}


def test_a_rule_allows_what_it_describes_and_nothing_else() -> None:
    after = {"http/a": BEFORE["http/a"] | {"GET /x": ["< 200", "seq 5", 'name "Bo"', "of [3, 6]"]}}
    numbers = Allowed(r": (seq|of) ", "Two events stand before.", (2,))
    names = Allowed(r"name ", "Bo plays.")
    assert compared(after, numbers, names)[1]
    assert not compared(after, names)[1]
    assert not compared(after, numbers)[1]


def test_numbers_that_move_otherwise_are_not_allowed() -> None:
    after = {"http/a": BEFORE["http/a"] | {"GET /x": ["< 200", "seq 5", 'name "Ann"', "of [3, 7]"]}}
    text, fine = compared(after, Allowed(r": (seq|of) ", "Two events stand before.", (2,)))
    assert not fine and "2 differences, 1 of them not allowed" in text


def test_a_rule_that_explains_nothing_is_an_error() -> None:
    text, fine = compared(BEFORE, Allowed("never", "It has gone."))
    assert not fine and "explains nothing: never" in text


def test_what_was_added_is_left_out_and_nothing_else() -> None:
    lines = [
        "of[]",
        "of[].seq 1",
        "of[]",
        'of[].type "new"',
        "of[].more[]",
        "of[].more[].x 2",
        "x 3",
    ]
    rules = Added("An event.", element='.type "new"'), Added("A number.", line="seq")
    assert left_out({"a": {"GET": lines}}, rules) == {"a": {"GET": ["of[]", "x 3"]}}
