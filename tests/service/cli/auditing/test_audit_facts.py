"""`arbiter audit --fact --who --at`: who could know what, from when; what a reader knew then."""

from pathlib import Path
from typing import Any

import pytest

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see, name_audience
from service.cli.auditing.audit_sources import NOT_IN_BUNDLES, NOT_KEPT
from tests.recorded.files import records
from tests.support.cli.audit_runs import Run, as_one_line, bundle_of, lines, store_match

DICE = "liars-dice.seeded"
"""Ann, Ben and Čeněk; rolls are private, and shown at the end of each round."""
ROLL, SHOWN = 17, 43
"""Ann's first roll, and the end of its round."""


@pytest.fixture
def match(tmp_path: Path) -> str:
    return store_match(tmp_path, DICE)


# Who could know it.


def readers(run: Run, match: str, *asked: str) -> dict[str, list[tuple[Any, ...]]]:
    """By reader: how a single fact could be known, by which event, and its own number of that."""
    (answer,) = lines(run(match, "--json", *asked))
    found: dict[str, list[tuple[Any, ...]]] = {}
    for way in answer["readers"]:
        found.setdefault(way["reader"], []).append((way["how"], way["by"], way["own"]))
    return found


def test_a_fact_is_known_to_its_seat_and_from_the_end_of_the_round_on_to_all(
    run: Run, match: str
) -> None:
    assert readers(run, match, "--fact", str(ROLL)) == {
        "public": [("disclosed", SHOWN, 24), ("opened", 128, 56)],
        "moderator": [("event", ROLL, ROLL)],
        "seat:0": [("event", ROLL, 12)],
        "seat:1": [("disclosed", SHOWN, 27), ("opened", 128, 69)],
        "seat:2": [("disclosed", SHOWN, 28), ("opened", 128, 73)],
    }


def test_who_restricts_it_to_one_reader(run: Run, match: str) -> None:
    for who in ("Ben", "ben", "BEN", "seat:1"):
        assert readers(run, match, "--fact", str(ROLL), "--who", who) == {
            "seat:1": [("disclosed", SHOWN, 27), ("opened", 128, 69)]
        }


def test_at_restricts_it_to_what_could_be_known_then(run: Run, match: str) -> None:
    fact = ("--fact", str(ROLL), "--who", "Ben")
    assert readers(run, match, *fact, "--at", "26") == {"seat:1": [(None, None, None)]}
    assert readers(run, match, *fact, "--at", "27") == {"seat:1": [("disclosed", SHOWN, 27)]}
    before, then = "2026-01-01T12:00:00.003100Z", "2026-01-01T12:00:00.003101Z"
    assert readers(run, match, *fact, "--at", before) == {"seat:1": [(None, None, None)]}
    local = run(match, *fact, "--at", then.removesuffix("Z"))
    assert local.exit_code != 0
    assert "an instant with its offset" in as_one_line(local.stderr)
    assert readers(run, match, *fact, "--at", then) == {"seat:1": [("disclosed", SHOWN, 27)]}
    everybody = readers(run, match, "--fact", str(ROLL), "--at", str(SHOWN - 1))
    assert everybody["public"] == everybody["seat:2"] == [(None, None, None)]
    assert everybody["seat:0"] == [("event", ROLL, 12)]
    assert readers(run, match, "--fact", str(ROLL), "--at", str(ROLL - 1))["seat:0"] == [
        (None, None, None)
    ]


def test_for_people_it_says_who_since_and_how_and_that_reads_are_not_kept(
    run: Run, match: str
) -> None:
    shown = run(match, "--fact", str(ROLL)).stdout
    assert max(map(len, shown.splitlines())) <= 80
    said = as_one_line(shown)
    assert "1 fact, everything recorded here" in said
    assert "17 p8 12:00:00 rules Ann has rolled 2, 4 Ann" in said
    assert "Ann 2026-01-01 12:00:00 12 the event itself" in said
    assert "Ben 2026-01-01 12:00:00.003101 27 dice, shown by event p24 (43)" in said
    assert "the public 2026-01-01 12:00:30.008949 56 the record was opened, event p56 (128)" in said
    assert "whether it was sent, and who looked: this store has no account of it" in said
    early = as_one_line(run(match, "--fact", str(ROLL), "--who", "Ben", "--at", "20").stdout)
    assert "Ben never here by no event up to here" in early


def test_a_fact_that_is_not_there_is_an_error(run: Run, match: str) -> None:
    for fact in ("999", "0", "p999", "p0", "never-heard-of"):
        shown = run(match, "--fact", fact)
        assert (shown.exit_code, shown.stdout) == (1, "")
        assert "no event here" in shown.stderr


def test_a_sealed_fact_of_a_bundle_is_an_error(run: Run, tmp_path: Path) -> None:
    path = bundle_of(tmp_path, DICE, PUBLIC_VIEWER)
    shown = run(path, "--fact", str(ROLL), "--json")
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert f"event {ROLL} is sealed here" in shown.stderr


# What a reader knew then.


@pytest.mark.parametrize("viewer", [PUBLIC_VIEWER, MODERATOR, 0, 1, 2])
def test_who_shows_a_readers_own_time_line_and_at_cuts_it(
    run: Run, match: str, viewer: Viewer
) -> None:
    who = ("--who", name_audience(viewer), "--json")
    own = lines(run(match, *who))
    assert own == lines(run(match, "--as", name_audience(viewer), "--json"))
    assert [line["number"] for line in own] == list(range(1, len(own) + 1))
    seen = sum(may_see(viewer, record.event) for record in records(DICE))
    assert len(own) == seen
    for at in (0, 1, 7, seen):
        cut = lines(run(match, *who, "--at", str(at)))
        assert [line["what"] for line in cut] == [line["what"] for line in own[:at]]
        if cut:
            assert lines(run(match, *who, "--at", cut[-1]["recorded"]))[: len(cut)] == cut


def test_the_publics_number_means_the_same_event_to_everybody(run: Run, match: str) -> None:
    assert readers(run, match, "--fact", "p24") == readers(run, match, "--fact", str(SHOWN))
    for who, number in (("public", "24"), ("Ann", "27"), ("moderator", str(SHOWN))):
        by_public = lines(run(match, "--json", "--who", who, "--at", "p24"))
        assert by_public == lines(run(match, "--json", "--who", who, "--at", number))
        assert by_public[-1]["public_seq"] == 24
    assert lines(run(match, "--json", "--at", "p24"))[-1]["number"] == SHOWN
    beyond = run(match, "--at", "p58")
    assert beyond.exit_code == 1 and "the public has only 57 events, not p58" in beyond.stderr


def test_a_number_beyond_the_readers_own_is_an_error_that_counts_nobody_else(
    run: Run, match: str
) -> None:
    seen = sum(may_see(PUBLIC_VIEWER, record.event) for record in records(DICE))
    for option in ("--who", "--as"):
        shown = run(match, option, "public", "--at", str(seen + 1))
        assert (shown.exit_code, shown.stdout) == (1, "")
        assert f"there are only {seen} events" in as_one_line(shown.stderr)


@pytest.mark.parametrize("at", ["noon", "2026-13-01", "-1", "", "99999999999999999999"])
def test_a_time_that_is_none_is_an_error(run: Run, match: str, at: str) -> None:
    shown = run(match, f"--at={at}")
    assert (shown.exit_code, shown.stdout) == (1, "")


# The same from a bundle.


@pytest.mark.parametrize(
    "asked",
    [
        ("--fact", str(ROLL)),
        ("--fact", "dice-rolled", "--who", "Ann"),
        ("--fact", str(ROLL), "--who", "public", "--at", "2026-01-01T12:00:10Z"),
        ("--who", "Čeněk", "--at", "20"),
        ("--as", "seat:0", "--fact", "dice-rolled"),
        ("--all",),
    ],
)
def test_a_moderators_bundle_answers_as_the_store_does(
    run: Run, match: str, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    path = bundle_of(tmp_path, DICE, MODERATOR)
    assert lines(run(path, *asked, "--json")) == lines(run(match, *asked, "--json"))
    shown = run(path, *asked).stdout.replace(NOT_IN_BUNDLES, NOT_KEPT)
    assert shown.split("\n", 2)[2] == run(match, *asked).stdout


# Housekeeping.


def test_housekeeping_is_folded_away_and_counted(run: Run, match: str) -> None:
    shown = run(match)
    assert "47 events that the service records for itself are hidden: --all" in shown.stdout
    assert "The match waits for" not in as_one_line(shown.stdout)
    everything = run(match, "--all")
    assert "hidden: --all" not in everything.stdout
    assert "The match waits for" in as_one_line(everything.stdout)
