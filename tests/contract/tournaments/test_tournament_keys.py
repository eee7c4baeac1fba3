"""A player's key works in all their matches, a moderator's in the matches assigned to them."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner

from service.auth.key_form import hashed
from service.cli import main
from tests.support.http.match_play import assert_problem, ndjson
from tests.support.http.tournament_client import LiveCup, at, cup
from tests.support.servers.instance_settings import environment_of
from tests.support.servers.live_server import NDJSON, Json, Live, LiveMatch, Player, serving

SIDE: Json = {"type": "choose_side", "side": "heads"}


def coins(cup: LiveCup, *seats: str, **more: str) -> LiveMatch:
    """A running match of Dollar Prize in the tournament."""
    match = cup.match(seats, game="dollar-prize", options={}, **more)
    assert match.moderator.start().status_code == 201
    return match


def audience(player: Player) -> str:
    return str(player.view().json()["audience"])


def test_a_player_has_a_seat_in_all_their_matches(spring: LiveCup) -> None:
    first, second, other = (coins(spring, *names) for names in (("Ann", "Ben"), ("Cy", "Ann"),
                                                                ("Ben", "Cy")))  # fmt: skip
    ann = spring.player(0)
    assert [audience(at(match, ann)) for match in (first, second, other)] == [
        "seat:0", "seat:1", "public",
    ]  # fmt: skip
    assert at(first, ann).act(SIDE).status_code == 201
    assert_problem(at(second, ann).act(SIDE), 422, "not_your_turn")
    assert at(first, ann).menu().status_code == 200
    for match in (first, second):
        seat = match.seats[0 if match is first else 1]
        assert at(match, ann).view().content == seat.view().content
        assert at(match, ann).events().content == seat.events().content


def test_the_same_name_in_another_tournament_is_another_person(live: Live, spring: LiveCup) -> None:
    elsewhere = coins(cup(live), "Ann", "Ben")
    alone = live.started("dollar-prize", ("Ann", "Ben"))
    for match in (elsewhere, alone):
        for client in (spring.player(0), spring.moderator()):
            assert audience(at(match, client)) == "public"
            assert_problem(at(match, client).act(SIDE), 403, "not_allowed")
            assert_problem(at(match, client).close_phase(), 403, "not_allowed")


def test_a_moderator_moderates_their_assigned_matches(spring: LiveCup) -> None:
    given = spring.match(game="dollar-prize", options={}, chance="manual", record="closed")
    other = coins(spring, "Ben", "Cy", record="closed")
    mo = at(given, spring.moderator())
    assert audience(mo) == "public"
    assert_problem(mo.start(), 403, "not_allowed")
    spring.give(given)
    assert audience(mo) == "moderator"
    assert mo.start().status_code == 201
    given.seats[0].act(SIDE)
    assert mo.draw("setup", ["heads"] * 5).status_code == 201
    assert mo.view("seat:1").status_code == 200
    assert mo.view().content == given.moderator.view().content
    assert_problem(mo.act(SIDE), 403, "not_allowed")
    elsewhere = at(other, spring.moderator())
    assert elsewhere.view().content == other.anyone.view().content
    assert_problem(elsewhere.view("moderator"), 403, "not_allowed")
    assert_problem(elsewhere.close_phase(), 403, "not_allowed")


def test_a_player_who_moderates_has_two_separate_keys(spring: LiveCup) -> None:
    """Cy plays one match and moderates another: neither key works in the other role."""
    plays, moderates = coins(spring, "Cy", "Ann"), coins(spring, "Ann", "Ben")
    spring.give(moderates, 1)
    as_player, as_moderator = spring.player(2), spring.moderator(1)
    assert audience(at(plays, as_player)) == "seat:0"
    assert audience(at(plays, as_moderator)) == "public"
    assert audience(at(moderates, as_player)) == "public"
    assert audience(at(moderates, as_moderator)) == "moderator"


def test_a_stream_is_the_players_own_and_ends_with_their_key(live: Live, spring: LiveCup) -> None:
    match = coins(spring, "Ann", "Ben")
    ann = at(match, spring.player(0))
    with ann.stream({"Accept": NDJSON}, after=0) as stream:
        lines = ndjson(stream)
        assert next(lines)["seq"] == 1
        live.instance.keyring.revoke(UUID(spring.id), hashed(spring.players[0]))
        assert ann.client.get(f"{ann.path}/view").status_code == 401
        match.seats[0].act(SIDE)
        assert all(line["type"] != "dollar-prize.side-chosen.1" for line in lines)


# `arbiter keys`.


@pytest.fixture
def operated(tmp_path: Path) -> Iterator[tuple[Live, LiveCup, Path]]:
    """A server with its folder, and a tournament on it."""
    with serving(tmp_path) as live:
        yield live, cup(live), tmp_path


def instance(data: Path, *arguments: str) -> str:
    done = CliRunner(env=environment_of(data)).invoke(
        main, ["keys", *arguments, "--data", str(data)]
    )
    assert done.exit_code == 0, done.output
    return done.output


def test_the_operator_lists_issues_and_revokes_keys_of_a_tournament(
    operated: tuple[Live, LiveCup, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    live, made, data = operated
    match = coins(made, "Ann", "Ben")

    def said(*arguments: str) -> str:
        return instance(data, *arguments, "--tournament", made.id) + capsys.readouterr().out

    listed = said("list")
    assert "player 0" in listed and "moderator 1" in listed
    key = said("new", "--player", "1", "--name", "lost").split()[0]
    assert audience(at(match, live.bearing(key))) == "seat:1"
    ring = live.instance.keyring.listed(UUID(made.id))
    said("revoke", next(one.id for one in ring if one.hash == hashed(made.players[1])))
    live.instance.keyring.refresh()
    assert_problem(at(match, made.player(1)).view(), 401, "key_unknown")
    assert audience(at(match, live.bearing(key))) == "seat:1"
    assert said("new", "--moderator", "0").split()[0].startswith("arb_m0_")


def test_no_key_is_issued_for_an_unknown_name(operated: tuple[Live, LiveCup, Path]) -> None:
    _, made, data = operated
    both = ("--player", "0", "--moderator", "0")
    for arguments in (("--player", "3"), ("--moderator", "2"), (), ("--seat", "0"), both):
        command = ["keys", "new", "--tournament", made.id, *arguments, "--data", str(data)]
        assert CliRunner().invoke(main, command).exit_code != 0
