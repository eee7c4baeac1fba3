"""`arbiter check` finds every kind of damage in a store, and names where it is."""

from pathlib import Path
from uuid import UUID

import pytest

from service.event_store.store import paired_stream
from tests.support.cli.checked_store import database, findings, folder, happened, played, report
from tests.support.cli.store_with_history import Happened, run
from tests.support.instance.damage import (
    a_microsecond_later,
    flip_in_file,
    flipped,
    rows_of,
)
from tests.support.instance.damaged_store import (
    digest_anew,
)

__all__ = ["database", "folder", "happened", "played"]


# A clean store.


def test_a_store_in_which_nothing_is_wrong_is_clean(folder: Path, happened: Happened) -> None:
    status, found = report(folder)
    assert (status, found["status"], found["findings"], found["unjudged"]) == (0, "clean", [], [])
    assert (found["matches"], found["tournaments"]) == (len(happened.matches), 1)
    assert found["digests"] == len(happened.matches) and found["settlements"] == 1
    assert min(found["checkpoints"], found["listed"]) > 0


def test_a_missing_digest_is_found(folder: Path, database: Path, happened: Happened) -> None:
    with rows_of(database, happened.running) as rows:
        rows.forget_digest()
    assert findings(folder) == [("digests", str(happened.running), None)]


def test_one_match_is_judged_alone(folder: Path, database: Path, happened: Happened) -> None:
    damage, other = happened.over["together"], happened.over["liars-dice"]
    with rows_of(database, damage) as rows:
        rows.put(flipped(rows.all()[4], 9))
    assert report(folder, other)[0] == 0
    assert {stream for _, stream, _ in findings(folder, damage)} == {str(damage)}


def test_the_report_for_people_says_what_is_wrong_and_what_to_do(
    folder: Path, database: Path, happened: Happened
) -> None:
    clean = run("check", "--jobs", 1, "--data", folder)
    assert clean.exit_code == 0 and "Nothing is wrong." in clean.output
    match = happened.over["together"]
    with rows_of(database, match) as rows:
        rows.delete(6)
    done = run("check", match, "--data", folder)
    assert done.exit_code == 1 and "Nothing is wrong." not in done.output
    assert f"DAMAGED  gaps  {match}, row 6: it is missing" in done.output
    assert "restore the latest backup" in " ".join(done.output.split())


def test_what_cannot_be_judged_is_not_clean(folder: Path, tmp_path: Path) -> None:
    for arguments, why in (
        (("--data", tmp_path / "nowhere"), "there is no store"),
        (("--data", folder, UUID(int=5)), "no such match"),
        (("--data", folder, UUID(int=5), "--all"), "either MATCH or --all"),
    ):
        done = run("check", *arguments)
        assert done.exit_code == 2 and why in " ".join(done.output.split()), done.output


def test_a_match_of_rules_that_are_not_here_is_not_judged(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.over["together"]
    with rows_of(database, match) as rows:
        first = rows.all()[0]
        newer = first.state.replace(b"rules_version\x01", b"rules_version\x7f")
        assert newer != first.state
        rows.put(first._replace(state=newer))
    digest_anew(database, match)
    with rows_of(database, paired_stream(match)) as signed:
        signed.delete_all()
    status, found = report(folder, match)
    assert (status, found["status"]) == (2, "not judged")
    assert "use a newer one" in found["unjudged"][0]["text"]


# The rows of a match.


@pytest.mark.parametrize("bit", [3, 70, 555])
def test_a_bit_in_a_row_is_found(
    folder: Path, database: Path, happened: Happened, bit: int
) -> None:
    match = happened.over["grouping-bw"]
    with rows_of(database, match) as rows:
        rows.put(flipped(rows.all()[9], bit))
    found = findings(folder)
    assert any(part in ("rows", "digests") and at for part, _, at in found), found
    assert {stream for _, stream, _ in found} == {str(match)}


def test_a_bit_in_the_file_is_found(folder: Path, database: Path, happened: Happened) -> None:
    match = happened.over["twelve-chips"]
    with rows_of(database, match) as rows:
        state = rows.all()[8].state
    flip_in_file(database, state)
    assert str(match) in {stream for _, stream, _ in findings(folder)}


def test_content_that_decodes_is_found_by_the_digest(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.running
    with rows_of(database, match) as rows:
        last = rows.all()[-1]
        rows.put(a_microsecond_later(last))
    assert ("digests", str(match), last.version) in findings(folder)


def test_content_under_a_new_digest_is_found_by_the_rules(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.running
    with rows_of(database, match) as rows:
        last = rows.all()[-1]
        rows.put(a_microsecond_later(last))
    digest_anew(database, match)
    found = findings(folder, match)
    assert ("rules", str(match), last.version) in found
    assert "digests" not in {part for part, *_ in found}


def test_the_name_beside_a_row_is_found(folder: Path, database: Path, happened: Happened) -> None:
    match = happened.over["together"]
    with rows_of(database, match) as rows:
        row = rows.all()[2]
        rows.put(row._replace(topic="match.ended.1"))
    digest_anew(database, match)
    assert ("rows", str(match), 3) in findings(folder, match)


def test_a_time_before_the_one_before_is_found(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.running
    with rows_of(database, match) as rows:
        rows.put(a_microsecond_later(rows.all()[0]))
    digest_anew(database, match)
    assert ("times", str(match), 2) in findings(folder, match)


def test_a_missing_row_is_found(folder: Path, database: Path, happened: Happened) -> None:
    match = happened.over["dollar-prize"]
    with rows_of(database, match) as rows:
        rows.delete(5)
    found = findings(folder)
    assert ("gaps", str(match), 5) in found and ("log", None, None) in found


def test_a_missing_end_is_found(folder: Path, database: Path, happened: Happened) -> None:
    match = happened.running
    with rows_of(database, match) as rows:
        last = rows.all()[-1].version
        rows.delete(last)
    assert ("digests", str(match), last) in findings(folder)


def test_a_missing_end_is_found_behind_a_right_digest(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.over["liars-dice"]
    with rows_of(database, match) as rows:
        rows.delete(rows.all()[-1].version)
    digest_anew(database, match)
    parts = {part for part, stream, _ in findings(folder, match) if stream == str(match)}
    assert {"rules", "signatures"} <= parts


@pytest.mark.parametrize("digested", [True, False])
def test_a_missing_match_is_found(
    folder: Path, database: Path, happened: Happened, digested: bool
) -> None:
    match = happened.over["dollar-prize"]
    with rows_of(database, match) as rows:
        rows.delete_all()
        if not digested:
            rows.forget_digest()
    expected = "digests" if digested else "gaps"
    found = findings(folder)
    assert (expected, str(match), 1) in found
    assert "indexes" in {part for part, *_ in found}
