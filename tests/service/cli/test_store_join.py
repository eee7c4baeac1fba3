"""`arbiter store copy` into a store that has matches: afterwards it has those of both."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from domain.tournament_state import Request
from projections.disclosure import MODERATOR
from service.application.creation import MatchSetup
from service.composition.leading import unsigned
from service.event_store.incarnation import INCARNATIONS
from service.instance import open_instance
from service.settings import Settings
from tests.support.cli.store_with_history import (
    REQUEST,
    StoreLocation,
    a_read,
    act,
    contents,
    embedded,
    refused,
    run,
    url,
)
from tests.support.instance.service_instance import settings
from tests.support.instance.tournament_play import CUP, played, settled
from tests.support.instants import NOON
from tests.support.servers.postgres_server import fresh_database
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

COPY = ("store", "copy")


async def play(folder: Path, request: str) -> list[str]:
    """A tournament with a match that was played to its end, and a running match, which is created
    once under the idempotency key. Returns the ids of both matches."""
    instance = open_instance(settings(folder / "arbiter.db"), VirtualClock(NOON))
    async with instance.running():
        cup, _ = await instance.creation.tournament(CUP)
        over = await played(instance, cup)
        await settled(instance, cup)
        running = await instance.creation.match(
            MatchSetup("dollar-prize", ("Ann", "Ben"), {}, "server", "none", None),
            Request(request, REQUEST.fingerprint),
        )
        await instance.matches.execute(running.id, START, MODERATOR)
        await act(instance, running.id)
        await instance.reads.add(a_read(running.id, MODERATOR, hidden=True))
        await until(lambda: not unsigned(instance.index))
    return [str(over), str(running.id)]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """Folders of two stores, and the ids of their matches."""
    folder = tmp_path_factory.mktemp("stores")
    made = {}
    for name in ("one", "two"):
        (folder / name).mkdir()
        made[name] = asyncio.run(play(folder / name, f"{name} made it"))
    return folder, made


@pytest.fixture
def one(stores: tuple[Path, dict[str, list[str]]], tmp_path: Path) -> Path:
    shutil.copytree(stores[0] / "one", tmp_path / "one")
    return tmp_path / "one"


@pytest.fixture(params=["sqlite", "postgres"])
def two(
    request: pytest.FixtureRequest, stores: tuple[Path, dict[str, list[str]]], tmp_path: Path
) -> Iterator[StoreLocation]:
    """The second store; its keys are in the folder `two` in any case."""
    shutil.copytree(stores[0] / "two", tmp_path / "two")
    if request.param == "sqlite":
        yield embedded(tmp_path / "two")
        return
    with fresh_database() as env:
        done = run(*COPY, tmp_path / "two", url(env))
        assert done.exit_code == 0, done.output
        yield StoreLocation(url(env), env)


def environment(two: StoreLocation, tmp_path: Path) -> dict[str, str]:
    return {**two.env, "ARBITER_KEYS": str(tmp_path / "two" / "keys")}


def test_the_matches_of_both_verify_and_nothing_is_wrong(
    one: Path,
    two: StoreLocation,
    stores: tuple[Path, dict[str, list[str]]],
    tmp_path: Path,
) -> None:
    env = environment(two, tmp_path)
    own = contents(two.env)
    done = run(*COPY, one, two.said, "--verify-all")
    assert done.exit_code == 0 and "Joined to" in done.output, done.output
    assert "keys adopt" in done.output
    found = contents(two.env)
    assert found["events"] == [*own["events"], *contents(embedded(one).env)["events"]]
    assert own["keys"] != found["keys"] and drawn(own["keys"]) == drawn(found["keys"])
    checked = run("check", env=env)
    assert checked.exit_code == 0, checked.output
    adopted = run("keys", "adopt", one / "keys", env=env)
    assert adopted.exit_code == 0, adopted.output
    (tmp_path / "published").write_text(adopted.output)
    for over, _ in stores[1].values():
        done = run("export", over, "--as", "moderator", "--out", tmp_path / "match.arb", env=env)
        assert done.exit_code == 0, done.output
        done = run("verify", tmp_path / "match.arb", "--key", tmp_path / "published")
        assert done.exit_code == 0, done.output
    assert "Another store joined" in run("store", "history", env=env).output


def drawn(keys: list[tuple[bytes, int, str, bytes]]) -> list[bytes]:
    """The incarnations of a store."""
    return [row[3] for row in keys if row[0] == INCARNATIONS.bytes]


async def test_the_service_lists_the_matches_of_both_and_goes_on_with_them(
    one: Path, two: StoreLocation, stores: tuple[Path, dict[str, list[str]]], tmp_path: Path
) -> None:
    assert run(*COPY, one, two.said).exit_code == 0
    keys = tmp_path / "two" / "keys"
    chosen = Settings(two.env, keys=keys, shared="SQLITE_DBNAME" not in two.env)
    instance = open_instance(chosen, VirtualClock(NOON))
    async with instance.running():
        listed = {match.id for match in instance.index.page(limit=100).matches}
        assert listed == {match for matches in stores[1].values() for match in matches}
        assert len(instance.index.tournaments().tournaments) == 2
        for name, (_, running) in stores[1].items():
            request = Request(f"{name} made it", REQUEST.fingerprint)
            made = await instance.creation.match(
                MatchSetup("dollar-prize", ("Ann", "Ben"), {}, "server", "none", None), request
            )
            assert (str(made.id), made.repeated) == (running, True)
            assert (await act(instance, made.id)).result.replayed


def test_a_copy_that_is_repeated_changes_nothing(one: Path, two: StoreLocation) -> None:
    assert run(*COPY, one, two.said).exit_code == 0
    before = contents(two.env)
    done = run(*COPY, one, two.said)
    assert done.exit_code == 0 and "0 events" in done.output, done.output
    assert contents(two.env) == before


def test_joined_there_and_back_both_stores_have_the_same_matches(
    one: Path, two: StoreLocation
) -> None:
    assert run(*COPY, one, two.said).exit_code == 0
    assert run(*COPY, two.said, one).exit_code == 0
    there, back = (sorted(contents(env)["events"]) for env in (two.env, embedded(one).env))
    assert there == back


def test_an_idempotency_key_for_another_request_is_refused(
    two: StoreLocation, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    asyncio.run(play(tmp_path / "other", "two made it"))
    before = contents(two.env)
    said = refused(*COPY, tmp_path / "other", two.said)
    assert "the idempotency key of request" in said and "TARGET stays as it is" in said
    assert contents(two.env) == before


def test_a_match_that_went_on_differently_is_refused(
    one: Path, two: StoreLocation, stores: tuple[Path, dict[str, list[str]]]
) -> None:
    assert run(*COPY, one, two.said).exit_code == 0
    before = contents(two.env)
    running = stores[1]["one"][1]
    with closing(sqlite3.connect(one / "arbiter.db")) as database, database:
        database.execute(
            "UPDATE stored_events SET topic = 'match.paused.1' WHERE originator_version = 5"
            " AND originator_id = ?",
            (running.replace("-", ""),),
        )
    assert f"match {running} is in both stores" in refused(*COPY, one, two.said)
    assert contents(two.env) == before


def test_a_log_that_was_altered_is_not_joined(
    one: Path, two: StoreLocation, stores: tuple[Path, dict[str, list[str]]]
) -> None:
    over = stores[1]["one"][0]
    with closing(sqlite3.connect(one / "arbiter.db")) as database, database:
        database.execute(
            "DELETE FROM stored_events WHERE originator_version > 9 AND originator_id = ?",
            (over.replace("-", ""),),
        )
    before = contents(two.env)
    said = refused(*COPY, one, two.said, "--verify-all")
    assert f"do not extend their signed checkpoints: {over}" in said
    assert contents(two.env) == before


def test_a_target_that_has_lost_commits_is_left_alone(one: Path, tmp_path: Path) -> None:
    target = embedded(tmp_path / "target")
    assert run(*COPY, one, target.said).exit_code == 0
    with closing(sqlite3.connect(target.env["SQLITE_DBNAME"])) as database, database:
        database.execute("DELETE FROM stored_events WHERE rowid > 20")
    before = contents(target.env)
    assert "are missing" in refused(*COPY, one, target.said)
    assert contents(target.env) == before
