"""`arbiter matches`; beginnings of ids and names of seats over a service, without a store."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from service.cli import main
from tests.support.http.match_play import play_out
from tests.support.http.plain_server import plain_server
from tests.support.servers.live_server import Live, LiveMatch

command = import_module("service.cli.playing.matches")
"""The module; its name in the package is the name of the command."""


@pytest.fixture(scope="module")
def opened(live: Live) -> LiveMatch:
    """A match of Liar's Dice whose record was opened at its end; the oldest."""
    match = live.started("liars-dice", ("Ann", "Ben", "Cy"), options={"dice": 1})
    play_out(match)
    return match


@pytest.fixture(scope="module")
def cup(live: Live) -> str:
    """A tournament."""
    new = {"name": "Cup", "players": ["Dan", "Eve"], "moderators": ["Mo"], "garnets": {}}
    answer = live.organiser.post("/v1/tournaments", new)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


@pytest.fixture(scope="module")
def newer(live: Live, opened: LiveMatch, cup: str) -> list[LiveMatch]:
    """Three matches that go on, the oldest first; the last one is of the tournament."""
    return [
        live.started("dollar-prize", ("Zoe", "Jörg [b]")),
        live.started("twelve-chips"),
        live.started("dollar-prize", ("Dan", "Eve"), tournament=cup),
    ]


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a store, or a narrow screen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "out", Console(highlight=False, width=120))


def run(*arguments: str, key: str | None = None) -> Result:
    return CliRunner(env={"ARBITER_MATCH_KEY": key}).invoke(main, arguments)


def printed(*arguments: str, key: str | None = None) -> str:
    done = run(*arguments, key=key)
    assert done.exit_code == 0, done.output
    return done.stdout


def said(*arguments: str, key: str | None = None, status: int = 1) -> str:
    """What is said of an error, without its frame."""
    done = run(*arguments, key=key)
    assert (done.exit_code, done.stdout) == (status, ""), done.output
    return " ".join(done.stderr.replace("│", " ").split())


def begun(match: LiveMatch, *others: LiveMatch) -> str:
    """The shortest beginning of an id that the others do not have."""
    shared = max(len(_common(match.id, other.id)) for other in others)
    return match.id[: shared + 1]


def _common(one: str, other: str) -> str:
    return next(one[:n] for n in range(len(one), -1, -1) if other.startswith(one[:n]))


def ids(*arguments: str) -> list[str]:
    return [msgspec.json.decode(line)["id"] for line in printed(*arguments).splitlines()]


# The list.


def test_all_matches_are_listed_the_newest_first(
    live: Live, opened: LiveMatch, newer: Sequence[LiveMatch]
) -> None:
    printed_lines = printed("matches", "--url", f"{live.url}/").splitlines()
    title, *rows = map(str.rstrip, printed_lines)
    assert title.split() == ["match", "status", "game", "tournament", "created", "(UTC)", "seats"]
    every = [*reversed(newer), opened]
    shown = [row.split()[0] for row in rows]
    assert all(match.id.startswith(short) for match, short in zip(every, shown, strict=True))
    assert len(set(shown)) == 4
    assert "ended    liars-dice" in rows[-1] and rows[-1].endswith("Ann, Ben, Cy")
    assert rows[2].endswith("Zoe, Jörg [b]")


@pytest.mark.parametrize("size", [1, 3, 200])
def test_pages_are_read_to_the_end(
    live: Live,
    opened: LiveMatch,
    newer: Sequence[LiveMatch],
    monkeypatch: pytest.MonkeyPatch,
    size: int,
) -> None:
    monkeypatch.setattr(command, "PAGE", size)
    every = [match.id for match in (*reversed(newer), opened)]
    asked = ("matches", "--url", live.url, "--json")
    assert ids(*asked) == every
    assert ids(*asked, "--limit", "2") == every[:2]


def test_filters_are_those_of_the_service(
    live: Live, opened: LiveMatch, newer: Sequence[LiveMatch], cup: str
) -> None:
    asked = ("matches", "--url", live.url, "--json")
    assert ids(*asked, "--status", "ended") == [opened.id]
    assert ids(*asked, "--game", "twelve-chips") == [newer[1].id]
    assert ids(*asked, "--name", "zoe") == [newer[0].id]
    assert ids(*asked, "--tournament", cup[:8]) == [newer[2].id]
    assert "There are no such matches." in printed("matches", "--url", live.url, "--name", "Nobody")


def test_a_key_is_not_needed_and_never_printed(live: Live, newer: Sequence[LiveMatch]) -> None:
    keyed = printed("matches", "--url", live.url, key=newer[0].keys[0])
    assert keyed == printed("matches", "--url", live.url)
    assert newer[0].keys[0] not in keyed


@pytest.mark.parametrize("address", ["play.example.org", "http://u:arb_secret@127.0.0.1:1"])
def test_an_address_that_is_none_is_not_repeated(address: str) -> None:
    done = run("matches", "--url", address)
    assert done.exit_code == 2 and "an address like https://play.example.org" in done.stderr
    assert "secret" not in done.output


def test_pages_that_do_not_end_are_an_error() -> None:
    with plain_server() as server:
        server.answers = [(200, b'{"matches":[],"next":"5"}')] * 2
        assert "its pages do not end" in said("matches", "--url", server.url)


def test_what_a_foreign_service_says_does_not_move_the_cursor() -> None:
    row = (
        b'{"id":"0199aa00","game":"\\u001b[2J","seats":["\\u001b[1A"],"status":"running",'
        b'"created_at":"2026-01-01T12:00:00Z","tournament":null}'
    )
    with plain_server() as server:
        server.answers = [(200, b'{"matches":[%b],"next":null}' % row)]
        shown = printed("matches", "--url", server.url)
    assert "\x1b" not in shown and r"\x1b[2J" in shown


# Beginnings of ids.


@pytest.mark.parametrize("name", ["replay", "audit", "notation"])
def test_the_beginning_of_an_id_stands_for_it(
    live: Live, opened: LiveMatch, newer: Sequence[LiveMatch], name: str
) -> None:
    whole = printed(name, opened.id, "--url", live.url)
    short = begun(opened, *newer)
    assert opened.id in whole or name == "notation"
    for typed in (short, short.replace("-", "").upper()):
        assert printed(name, typed, "--url", live.url) == whole
    assert printed(name, f"{live.url}/v1/matches/{opened.id}") == whole


def test_a_ruling_takes_beginnings_too(
    live: Live, opened: LiveMatch, newer: Sequence[LiveMatch]
) -> None:
    match, other, last = newer
    short = begun(match, opened, other, last)
    asked = ("rule", short, "--url", live.url, "--yes", "--reason", "A glass.")
    key = match.moderator_key
    assert "Carried out" in printed(*asked, "pause", key=key)
    again = live.started("dollar-prize", ("Zoe", "Kim"))
    instead = begun(again, opened, match, other, last)
    assert "second person" in printed(*asked, "void", "--replaced-by", instead, key=key)


def test_several_that_begin_so_are_listed(
    live: Live, opened: LiveMatch, newer: Sequence[LiveMatch]
) -> None:
    shared = _common(opened.id, newer[2].id)
    listed = said("replay", shared, "--url", live.url)
    assert f"several ids begin with {shared.replace('-', '')}" in listed
    assert all(match.id in listed for match in (opened, *newer))
    assert "liars-dice Ann, Ben, Cy" in listed


@pytest.mark.parametrize(
    ("typed", "status", "words"),
    [
        ("ffff", 1, "no match here has an id that begins with ffff"),
        ("000", 2, "'000' is no id: at least 4 characters of one are needed"),
        ("nonsense", 2, "'nonsense' is no id"),
    ],
)
def test_what_begins_no_id_is_an_error(live: Live, typed: str, status: int, words: str) -> None:
    assert words in said("replay", typed, "--url", live.url, status=status)


# Names of seats, and what a key allows.


def test_a_watcher_types_a_beginning_and_a_name(
    live: Live, opened: LiveMatch, newer: Sequence[LiveMatch]
) -> None:
    asked = ("watch", begun(opened, *newer), "--url", live.url, "--as")
    assert printed(*asked, "cy") == printed(*asked, "seat:2")
    assert "no such audience here: Adda" in said(*asked, "Adda")


def test_a_name_stands_for_its_seat(live: Live, newer: Sequence[LiveMatch]) -> None:
    match = newer[1]
    asked = ("replay", match.id, "--url", live.url, "--events")
    whole = printed(*asked, "--as", "seat:1", key=match.keys[1])
    assert f"{match.id}  seat:1, up to p" in whole and "hand-dealt" in whole
    for typed in ("Ben", "BEN", None):
        audience = () if typed is None else ("--as", typed)
        assert printed(*asked, *audience, key=match.keys[1]) == whole
    assert "hand-dealt" not in printed(*asked)


@pytest.mark.parametrize("at", [0, 3])
def test_the_view_is_the_answer_of_the_service(live: Live, opened: LiveMatch, at: int) -> None:
    asked = ("replay", opened.id, "--url", live.url, "--as", "cy", "--at", str(at), "--json")
    answer = opened.anyone.view("seat:2", at).json()
    assert msgspec.json.decode(printed(*asked)) == answer
    assert "(no_such_position)" in said("replay", opened.id, "--url", live.url, "--at", "9999")
