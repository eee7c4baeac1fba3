"""Beginnings of ids in a store: each command takes them, and says which there are."""

from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner, Result

from domain.events import Record
from domain.tournament.events import TournamentCreated
from service.cli import ids, main
from service.cli.ids import digits_of, stored_id
from service.event_store.store import paired_stream
from tests.recorded.files import records
from tests.support.cli.audit_runs import store_records

ONE = UUID("01a2073c-1111-7000-8000-00000000000a")
TWO = UUID("01a2073c-1222-7000-8000-00000000000b")
CUP = UUID("01a2073c-1333-7000-8000-00000000000c")
PLAYED = records("dollar-prize.seeded")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two matches, signed checkpoints of one, and a tournament, at about one time."""
    folder = tmp_path_factory.mktemp("kept")
    store_records(folder, str(ONE), PLAYED)
    store_records(folder, str(TWO), PLAYED)
    store_records(folder, str(paired_stream(ONE)), PLAYED[1:3])
    store_records(folder, str(CUP), [Record(0, 0, TournamentCreated("Cup"))])
    return folder


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--data", str(data)])


def said(data: Path, *arguments: str, status: int = 1) -> str:
    done = run(data, *arguments)
    assert (done.exit_code, done.stdout) == (status, ""), done.output
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("typed", ["01a2073c-11", "01a2073c11", "01A2073C-11", str(ONE), ONE.hex])
@pytest.mark.parametrize("page", [1, 100])
def test_a_beginning_that_one_match_has_is_its_id(
    data: Path, typed: str, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ids, "PAGE", page)
    assert stored_id(data, digits_of(typed) or "", "match") == ONE


def test_matches_and_tournaments_do_not_stand_in_each_others_way(data: Path) -> None:
    assert stored_id(data, "01a2073c", "tournament") == CUP
    listed = said(data, "replay", "01a2073c")
    assert f"several ids begin with 01a2073c; type more of one: {ONE} {TWO}" in listed
    assert str(CUP) not in listed and str(paired_stream(ONE)) not in listed


def test_of_very_many_the_first_are_listed(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "MOST_NAMED", 1)
    listed = said(data, "notation", "01a2")
    assert f"{ONE} and more" in listed and str(TWO) not in listed


@pytest.mark.parametrize("name", ["replay", "notation", "audit"])
def test_commands_take_the_beginning_of_an_id(data: Path, name: str) -> None:
    shown = run(data, name, "01a2073c-12")
    assert shown.exit_code == 0, shown.output
    assert shown.stdout == run(data, name, str(TWO)).stdout
    assert "no match here has an id that begins with 0fff" in said(data, name, "0fff")


def test_check_takes_beginnings_of_tournaments_too_and_has_its_own_status(data: Path) -> None:
    assert "1 matches, 0 tournaments" in run(data, "check", "01a2073c12").stdout
    assert "0 matches, 1 tournaments" in run(data, "check", "01a2073c13").stdout
    assert "several ids begin with 01a2073c;" in said(data, "check", "01a2073c", status=2)
    assert "is no id" in said(data, "check", "abc", status=2)


def test_keys_are_listed_by_the_beginning_of_an_id(data: Path) -> None:
    for ring in (("--match", "01a2073c12"), ("--tournament", "01a2")):
        listed = run(data, "keys", "list", *ring)
        assert (listed.exit_code, listed.stdout.split()) == (0, ["id", "for", "issued", "name"])
    assert "no tournament here" in said(data, "keys", "list", "--tournament", "0fff")
    assert "several ids begin" in said(data, "keys", "list", "--match", "01a2")


def test_an_export_for_a_name_that_nobody_has_says_who_there_is(data: Path) -> None:
    refused = said(data, "export", "01a2073c-12", "--as", "Adda")
    assert "no such audience here: Adda" in refused and "seat:0 (Ann)" in refused


@pytest.mark.parametrize("typed", ["", "abc", "--------", "01a2g", "x" * 9, "0" * 33, "..."])
def test_what_is_no_id_is_none(typed: str) -> None:
    assert digits_of(typed) is None
