"""`arbiter audit` of a match on a running service: the same as from the store, as far as a key
allows; every failure is said in words, and without the key."""

import re
from pathlib import Path

import pytest

from service.cli.auditing import audit_sources
from service.cli.auditing.audit_sources import UNVERIFIED
from tests.support.cli.audit_runs import Run, lines
from tests.support.http.match_play import step
from tests.support.http.prepared_service import PreparedService
from tests.support.servers.instance_settings import KIND
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = pytest.mark.skipif(KIND != "sqlite", reason="the command reads the embedded store")

NO_SUCH_MATCH = "0199aa00-0000-7000-8000-00000000ffff"


@pytest.fixture(scope="module")
def running(live: Live) -> LiveMatch:
    """A match of 12 Chips that goes on."""
    match = live.started("twelve-chips")
    for _ in range(7):
        step(match)
    return match


def address(live: Live, match: str) -> str:
    return f"{live.url}/v1/matches/{match}"


def key_file(folder: Path, key: str) -> tuple[str, str]:
    path = folder / "key"
    path.write_text(f"{key}\n")
    return ("--key-file", str(path))


def known_in(shown: str) -> str:
    """What is shown but for who has looked, which a source may not know."""
    return re.split(r"\n(?:looked at by|sent to no key|whether it was sent)", shown)[0]


# The same as from the store.


@pytest.mark.parametrize("more", [(), ("--json",), ("--all",), ("--fact", "match.ended")])
def test_an_opened_match_shows_everybody_what_the_store_and_the_bundle_show(
    run: Run, live: Live, data: Path, opened: LiveMatch, tmp_path: Path, more: tuple[str, ...]
) -> None:
    bundle = tmp_path / "match.arb"
    answer = live.anyone.get(f"/v1/matches/{opened.id}/bundle", as_="moderator")
    bundle.write_bytes(answer.content)
    for audience in opened.audiences():
        asked = ("--as", audience, *more)
        served = run(address(live, opened.id), *asked)
        assert served.exit_code == 0, served.output
        shown = known_in(served.stdout)
        assert shown == known_in(run(opened.id, *asked, data=data).stdout)
        bundled = run(str(bundle), *asked).stdout
        assert known_in(bundled.removeprefix(f"{UNVERIFIED}\n\n")) == shown


def test_a_key_is_shown_what_it_may_see_while_the_match_goes_on(
    run: Run, live: Live, data: Path, running: LiveMatch, tmp_path: Path
) -> None:
    keys = {"seat:0": running.keys[0], "seat:1": running.keys[1]}
    for audience, key in keys.items():
        served = run(address(live, running.id), *key_file(tmp_path, key))
        assert served.stdout == run(running.id, "--as", audience, data=data).stdout
    everything = run(address(live, running.id), *key_file(tmp_path, running.moderator_key))
    assert everything.stdout == run(running.id, data=data).stdout
    assert run(address(live, running.id)).stdout == (
        run(running.id, "--as", "public", data=data).stdout
    )


def test_the_key_may_stand_in_the_environment_or_come_by_standard_input(
    run: Run, live: Live, running: LiveMatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = run(address(live, running.id), *key_file(tmp_path, running.keys[0])).stdout
    typed = run(address(live, running.id), "--key-file", "-", typed=f"{running.keys[0]}\n")
    assert typed.stdout == wanted
    monkeypatch.setenv("ARBITER_MATCH_KEY", running.keys[0])
    assert run(address(live, running.id)).stdout == wanted
    assert run(address(live, running.id) + "/").stdout == wanted


def test_a_player_is_answered_who_could_know_own_events(
    run: Run, live: Live, running: LiveMatch, tmp_path: Path
) -> None:
    key = key_file(tmp_path, running.keys[0])
    asked = ("--fact", "hand-dealt", "--json")
    (answer,) = lines(run(address(live, running.id), *key, *asked))
    since = {one["reader"]: (one["how"], one["own"]) for one in answer["readers"]}
    number = answer["fact"]["number"]
    assert since == {
        "public": (None, None), "seat:1": (None, None), "seat:0": ("event", number),
        "moderator": ("event", None),
    }  # fmt: skip
    other = run(address(live, running.id), *key, "--who", "Ben")
    assert (other.exit_code, other.stdout) == (1, "")
    assert "does not show all that seat:1 may see" in other.stderr


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_a_long_match_is_read_in_pages(
    run: Run, live: Live, data: Path, opened: LiveMatch, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(audit_sources, "TIMELINE_PAGE", size)
    served = run(address(live, opened.id), "--as", "moderator", "--json")
    assert served.stdout == run(opened.id, "--json", data=data).stdout


# What cannot be read.


def fails(run: Run, address: str, *more: str) -> str:
    """What is said of an address that cannot be read, in one line."""
    shown = run(address, *more)
    assert (shown.exit_code, shown.stdout) == (1, ""), shown.output
    return " ".join(shown.stderr.replace("│", "").split())


def test_a_wrong_key_is_refused_and_not_repeated(
    run: Run, live: Live, running: LiveMatch, tmp_path: Path
) -> None:
    said = fails(run, address(live, running.id), *key_file(tmp_path, "arb_s0_" + "f" * 40))
    assert "the service refuses (key_unknown)" in said
    assert "ffff" not in said


def test_an_unknown_match_or_audience_is_refused(run: Run, live: Live, running: LiveMatch) -> None:
    assert "(no_such_match)" in fails(run, address(live, NO_SUCH_MATCH))
    said = fails(run, address(live, running.id), "--as", "Zoe")
    assert "no such audience here: Zoe; there are public, moderator, seat:0 (Ann)" in said


@pytest.mark.parametrize("path", ["", "/v1/matches", "/v1/matches/x", "/v1/matches/{}/view", "/{}"])
def test_an_address_that_is_no_match_is_an_error(run: Run, live: Live, path: str) -> None:
    said = fails(run, live.url + path.format(NO_SUCH_MATCH))
    assert "the address of a match is https://…/v1/matches/<id>" in said


@pytest.mark.parametrize("key", ["", "two words", "é", "a\nb"])
def test_a_file_that_holds_no_key_is_an_error(
    run: Run, live: Live, running: LiveMatch, tmp_path: Path, key: str
) -> None:
    said = fails(run, address(live, running.id), *key_file(tmp_path, key))
    assert "this is no key of the service" in said


def test_a_key_is_only_for_a_service(run: Run, tmp_path: Path) -> None:
    shown = run(NO_SUCH_MATCH, *key_file(tmp_path, "arb_s0_1"))
    assert shown.exit_code == 2 and "--key-file is for the address of a match" in shown.stderr


def test_an_unreachable_service_is_an_error(run: Run) -> None:
    said = fails(run, f"http://127.0.0.1:1/v1/matches/{NO_SUCH_MATCH}")
    assert "the service cannot be reached" in said


# Servers that are something else.


VIEW = b'{"match":"%b","audience":"public","seq":1}' % NO_SUCH_MATCH.encode()


def test_a_newer_service_is_told_by_its_events(run: Run, server: PreparedService) -> None:
    event = (
        b'{"seq":1,"public_seq":1,"at":"2026-01-01T12:00:00Z","type":"match.never-heard-of.1","data":{},'
        b'"input":true,"cause":null}'
    )
    server.answers = [(200, VIEW), (200, b'{"lines":[%b],"next":null}' % event)]
    said = fails(run, f"{server.url}/v1/matches/{NO_SUCH_MATCH}")
    assert "event 1 (match.never-heard-of.1) is not one of this release" in said
