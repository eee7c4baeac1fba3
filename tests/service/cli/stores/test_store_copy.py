"""`arbiter store copy`: everything is copied in order and byte for byte, and works in the copy."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import pytest

from domain.games import GAMES
from domain.match.events import DeadlinePassed
from service.instance import Instance
from service.settings import Settings, SigningSettings
from tests.support.cli.store_with_history import (
    Environment,
    Happened,
    StoreLocation,
    act,
    begun,
    contents,
    embedded,
    leave_gaps,
    run,
    url,
)
from tests.support.instance.service_instance import on_record, someone_acts
from tests.support.instants import NOON
from tests.support.servers.postgres_server import connect, fresh_database
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

SOME = 400
"""Minimum number of events to copy, so that the test means something."""


@pytest.fixture
def postgres() -> Iterator[Environment]:
    with fresh_database() as env:
        yield env


def schema(env: Environment, name: str) -> StoreLocation:
    """Another schema of a database."""
    with closing(connect(env)) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    said = f"{url(env)}&schema={name}"
    return StoreLocation(said, {**env, "POSTGRES_SCHEMA": name})


def exported(happened: Happened, env: Environment, keys: Path, into: Path) -> dict[str, bytes]:
    """The bundle of every match, exported from a store by the command line."""
    into.mkdir(exist_ok=True)
    environment = {**env, "ARBITER_KEYS": str(keys)}
    for game, match in happened.over.items():
        done = run(
            "export", match, "--as", "moderator", "--out", into / f"{game}.arb", env=environment
        )
        assert done.exit_code == 0, done.output
    return {game: (into / f"{game}.arb").read_bytes() for game in happened.over}


def check_verified(happened: Happened, keys: Path, bundles: Path) -> None:
    """Every bundle is verified by the public keys and an earlier checkpoint."""
    published = run("keys", "published", env={"ARBITER_KEYS": str(keys)})
    (bundles / "keys").write_text(published.output)
    for game, checkpoint in happened.checkpoints.items():
        (bundles / "checkpoint").write_text(checkpoint)
        kept = ("--key", bundles / "keys", "--checkpoint", bundles / "checkpoint")
        verified = run("verify", bundles / f"{game}.arb", *kept)
        assert verified.exit_code == 0, verified.output


def test_a_copy_there_and_back_equals_the_original(
    played: tuple[Path, Happened], postgres: Environment, tmp_path: Path
) -> None:
    """To PostgreSQL, into another schema there, back into a file, and from that into a folder."""
    folder, happened = tmp_path / "source", played[1]
    shutil.copytree(played[0], folder)
    leave_gaps(folder)
    before = contents(embedded(folder).env)
    bundles = exported(happened, embedded(folder).env, folder / "keys", tmp_path / "before")
    assert len(before["events"]) > SOME and len(bundles) == len(GAMES)
    assert len(before["reads"]) == 2
    places = [embedded(folder), StoreLocation(url(postgres), postgres), schema(postgres, "other")]
    places += [embedded(tmp_path / "back.db"), embedded(tmp_path / "again")]
    for source, target in pairwise(places):
        done = run("store", "copy", source.said, target.said)
        assert done.exit_code == 0, done.output
        assert contents(target.env) == before
        again = exported(happened, target.env, folder / "keys", tmp_path / "bundles")
        assert again == bundles
        check_verified(happened, folder / "keys", tmp_path / "bundles")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_the_service_continues_from_the_copy(
    played: tuple[Path, Happened], postgres: Environment, tmp_path: Path, kind: str
) -> None:
    folder, happened = played
    target = (
        embedded(tmp_path / "copy") if kind == "sqlite" else StoreLocation(url(postgres), postgres)
    )
    done = run("store", "copy", folder, target.said)
    assert done.exit_code == 0, done.output
    shutil.copytree(folder / "keys", tmp_path / "keys")
    chosen = Settings(
        store=target.env, signing=SigningSettings(keys=tmp_path / "keys"), shared=kind == "postgres"
    )
    clock = VirtualClock(NOON)
    instance = Instance(chosen, clock)
    async with instance.running():
        known = [instance.keyring.load(key) for key in happened.keys]
        assert [grant and (grant.role, grant.match) for grant in known] == [
            ("seat", happened.running), ("seat", happened.running), ("moderator", happened.running)
        ]  # fmt: skip
        made = await begun(instance)
        assert (made.id, made.repeated) == (happened.running, True)
        again = await act(instance, happened.running)
        assert again.result.replayed
        assert (again.seq, again.view) == (happened.answer.seq, happened.answer.view)
        assert {match.id for match in instance.index.page(limit=100).matches} == {
            str(match) for match in happened.matches
        }
        shown = await instance.lists.tournament(happened.cup)
        assert [match.match for match, _ in shown.matches] == [str(happened.in_cup)]
        await clock.somebody_waits_for(happened.deadline)
        clock.move_to(happened.deadline)
        await until(lambda: passed(instance, happened.running))
        assert await someone_acts(instance, happened.running)


def passed(instance: Instance, match: UUID) -> bool:
    """Whether a deadline has passed, on record and in memory."""
    records = on_record(instance, match)
    loaded = instance.sessions.session(match).loaded
    known = loaded is not None and loaded.length == len(records)
    return known and any(isinstance(record.event, DeadlinePassed) for record in records)
