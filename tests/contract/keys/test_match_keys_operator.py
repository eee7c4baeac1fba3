"""`arbiter keys` and the keys of matches and tournaments: a running service puts what it does to a
match on record."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner

from service.auth.key_form import hashed
from service.cli import main
from tests.support.http.match_keys import listed
from tests.support.http.match_play import all_events, assert_problem
from tests.support.http.successors import successor
from tests.support.http.tournament_client import at, cup
from tests.support.servers.instance_settings import environment_of
from tests.support.servers.live_server import Client, Json, Live, Player, serving
from tests.support.waiting import wait_until

OPERATOR: Json = {"by": None, "key_id": "operator"}


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, Path]]:
    """A server with its folder."""
    folder = tmp_path_factory.mktemp("operated")
    with serving(folder) as live:
        yield live, folder


def operate(data: Path, *arguments: str) -> str:
    """Runs `arbiter keys` on the store of the server, in its folder, and returns what it printed
    by itself; the rest goes to this process."""
    done = CliRunner(env=environment_of(data)).invoke(
        main, ["keys", *arguments, "--data", str(data)]
    )
    assert done.exit_code == 0, done.output
    return done.output


def last(player: Player, count: int = 2) -> list[tuple[str, Json]]:
    return [(one["type"], one["data"]) for one in all_events(player)[-count:]]


def test_a_seat_is_told_of_a_key_from_the_command_line(
    operated: tuple[Live, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    live, data = operated
    match = live.started("dollar-prize")
    said = operate(data, "new", "--match", match.id, "--seat", "0", "--name", "Ann's phone")
    key = (said + capsys.readouterr().out).split()[0]
    assert live.bearing(key).get(f"{match.anyone.path}/view").json()["audience"] == "seat:0"
    made = listed(match.moderator)[3]
    told = {"seat": 0, "key_id": made["id"]}
    issued = [("match.key-issued.1", told), ("match.directed.1", OPERATOR)]
    wait_until(lambda: last(match.moderator) == issued)
    assert last(match.seats[0], 1) == issued[:1]

    said = operate(data, "list", "--match", match.id)
    assert made["id"] in said + capsys.readouterr().out
    operate(data, "revoke", made["id"], "--match", match.id)
    ended = [("match.key-ended.1", told), ("match.directed.1", OPERATOR)]
    wait_until(lambda: last(match.moderator) == ended)
    live.instance.keyring.refresh()
    assert_problem(live.bearing(key).get(f"{match.anyone.path}/view"), 401, "key_unknown")


def test_a_new_key_is_for_whoever_has_the_seat_now(
    operated: tuple[Live, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    live, data = operated
    match = live.started("dollar-prize")
    successor(live, match)
    said = operate(data, "new", "--match", match.id, "--seat", "1", "--name", "Zoe's phone")
    key = (said + capsys.readouterr().out).split()[0]
    assert live.bearing(key).get(f"{match.anyone.path}/view").json()["audience"] == "seat:1"


def test_replay_shows_the_match_as_the_successor_reads_it(
    operated: tuple[Live, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    live, data = operated
    match = live.started("dollar-prize")
    successor(live, match)
    arguments = ["replay", match.id, "--as", "seat:1", "--data", str(data)]
    done = CliRunner(env=environment_of(data)).invoke(main, arguments)
    shown = done.output + capsys.readouterr().out
    assert "Zoe" in shown and "Ben" not in shown


# The keys of a tournament.


def test_the_operator_lists_issues_and_revokes_keys_of_a_tournament(
    operated: tuple[Live, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    live, data = operated
    made = cup(live)
    match = made.match(("Ann", "Ben"))

    def said(*arguments: str) -> str:
        return operate(data, *arguments, "--tournament", made.id) + capsys.readouterr().out

    def audience(client: Client) -> str:
        return str(at(match, client).view().json()["audience"])

    listed = said("list")
    assert "player 0" in listed and "moderator 1" in listed
    key = said("new", "--player", "1", "--name", "lost").split()[0]
    assert audience(live.bearing(key)) == "seat:1"
    ring = live.instance.keyring.listed(UUID(made.id))
    said("revoke", next(one.id for one in ring if one.hash == hashed(made.players[1])))
    live.instance.keyring.refresh()
    assert_problem(at(match, made.player(1)).view(), 401, "key_unknown")
    assert audience(live.bearing(key)) == "seat:1"
    assert said("new", "--moderator", "0").split()[0].startswith("arb_m0_")


def test_no_key_is_issued_for_an_unknown_name(operated: tuple[Live, Path]) -> None:
    live, data = operated
    both = ("--player", "0", "--moderator", "0")
    for arguments in (("--player", "3"), ("--moderator", "2"), (), ("--seat", "0"), both):
        of_cup = ("--tournament", cup(live).id, "--data", str(data))
        assert CliRunner().invoke(main, ["keys", "new", *of_cup, *arguments]).exit_code != 0
