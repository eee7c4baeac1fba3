"""A store with an example of everything that a copy of it must contain."""

import os
import re
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from click.testing import CliRunner, Result

from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide
from domain.match.commands import Conflict
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR, Viewer, name_audience
from service.application.matches.command_queue import CommandResponse
from service.application.matches.creation import MatchWithKeys, NewMatch
from service.application.migration import migrate
from service.cli import main
from service.composition.leading import unsigned
from service.event_store.backup.table_sums import READS, TABLES, StoredTable
from service.event_store.database import embedded, is_embedded, table_pages, write_rows
from service.event_store.integrity.incarnation import HISTORY, INCARNATIONS
from service.event_store.reading import reading
from service.event_store.reads import Read
from service.event_store.recorder import KEYRINGS, LOG, POSTGRES
from service.event_store.store import Store
from service.instance import Instance
from service.read_models.index import open_index
from tests.support.games import fewest
from tests.support.instance.service_instance import sends, settings, someone_acts
from tests.support.instance.tournament_play import CUP, played, settled
from tests.support.instants import NOON
from tests.support.tables.directing import START, close_phase
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

OPTIONS = {"twelve-chips": {"tokens_to_win": 1}, "liars-dice": {"dice": 1}}
OF_A_STORE = ("ARBITER_", "PERSISTENCE_MODULE", "POSTGRES_", "SQLITE_")
"""Prefixes of the environment variables that locate a store."""

TURN = 60
REQUEST = KeyedRequest("made once", b"f" * 32)
ACTION_KEY = "acted once"


StoredRow = tuple[Any, ...]

Environment = dict[str, str]
"""The environment variables that locate a store."""


class Happened(msgspec.Struct):
    """What its users have saved: ids, keys, checkpoints, answers."""

    over: dict[str, UUID]
    checkpoints: dict[str, str]
    """A checkpoint of each match, signed in its middle."""

    cup: UUID
    in_cup: UUID
    running: UUID
    deadline: int
    keys: list[str]
    answer: CommandResponse

    @property
    def matches(self) -> set[UUID]:
        return {*self.over.values(), self.in_cup, self.running}


def run(*arguments: object, env: Mapping[str, str] | None = None) -> Result:
    """The command line, with no other information about the store than this."""
    others = {name: None for name in os.environ if name.startswith(OF_A_STORE)}
    variables = {**others, "COLUMNS": "400", **(env or {})}
    return CliRunner().invoke(main, [str(argument) for argument in arguments], env=variables)


def refused(*arguments: object, **env: str) -> str:
    """The one-line message with which the command line refuses."""
    result = run(*arguments, env=env)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.output).split())


async def happen(folder: Path) -> Happened:
    """Plays a match of every game in the embedded store of a folder, a tournament, and the
    beginning of a match whose first deadline is in force."""
    instance = Instance(settings(folder / "arbiter.db"), VirtualClock(NOON))
    async with instance.running():
        over, checkpoints = {}, {}
        for game in GAMES:
            over[game], checkpoints[game] = await _played(instance, game)
        cup, _ = await instance.creation.tournament(CUP)
        in_cup = await played(instance, cup)
        await settled(instance, cup)
        match = await begun(instance)
        await instance.matches.execute(match.id, START, MODERATOR)
        answer = await act(instance, match.id)
        for viewer, hidden in (MODERATOR, True), (0, False):
            await instance.reads.add(a_read(match.id, viewer, hidden=hidden))
        await until(lambda: not unsigned(instance.index))
        instance.index.follow()
        deadline = dict(instance.index.deadlines())[match.id]
    keys = [*match.seat_keys, match.moderator_key]
    return Happened(over, checkpoints, cup, in_cup, match.id, deadline, keys, answer)


def a_read(match: UUID, viewer: Viewer, *, hidden: bool) -> Read:
    """Someone has read the beginning of a match as this audience."""
    role, name = ("moderator", "Zo\xeb") if hidden else ("seat", None)
    key_id, last = "0123456789abcdef", NOON + 1
    return Read(str(match), key_id, name_audience(viewer), hidden, role, name, 3, NOON, last)


async def begun(instance: Instance) -> MatchWithKeys:
    """The match that is created once, however often the request is sent."""
    options, names = {"turn_seconds": TURN}, ("Ann", "Ben")
    return await instance.creation.match(
        NewMatch("dollar-prize", names, options, "server", "rules", None), REQUEST
    )


async def act(instance: Instance, match: UUID) -> CommandResponse:
    """The action that counts once, however often it is sent."""
    return await instance.matches.execute(match, sends(0, ChooseSide("heads"), ACTION_KEY), 0)


async def _played(instance: Instance, game: str) -> tuple[UUID, str]:
    """A finished match, and the checkpoint of its middle."""
    options = OPTIONS.get(game, {})
    match = await instance.creation.match(
        NewMatch(game, fewest(game), options, "server", "none", None)
    )
    await instance.matches.execute(match.id, START, MODERATOR)
    signed = await instance.notary.checkpoint(match.id)
    over = False
    while not over:
        try:
            await instance.matches.execute(match.id, close_phase(), MODERATOR)
        except Conflict:
            # No phase can be closed: a seat has to act, or the match is over.
            over = not await someone_acts(instance, match.id)
    return match.id, signed.note


def tables_of(env: Environment) -> dict[str, StoredTable]:
    """The tables of a store, as its database has them."""
    if is_embedded(env):
        return dict(TABLES)
    tables = {name: one._replace(name=POSTGRES.table(name)) for name, one in TABLES.items()}
    return tables | {LOG: tables[LOG]._replace(key=POSTGRES.position), READS: TABLES[READS]}


def copy_into(target: Environment, folder: Path) -> None:
    """Fills an empty database with what is in the embedded store of a folder."""
    migrate(target)
    with closing(Store(target)) as store:
        tables = tables_of(target)
        with store.open_database().transaction() as cursor:
            for name, rows in rows_of(embedded(folder / "arbiter.db")).items():
                marks = ", ".join("?" * len(tables[name].columns.split(", ")))
                into = f"{tables[name].name} ({tables[name].columns})"
                write_rows(cursor, f"INSERT INTO {into} VALUES ({marks})", rows)  # noqa: S608  ours
        with closing(open_index(store)) as index:
            index.rebuild(lambda *_: None)


def rows_of(env: Environment) -> dict[str, list[StoredRow]]:
    """The rows of every table, in order, with the ids of streams in hexadecimal."""
    with reading(env) as reader:
        return {
            name: [
                (row[0].hex if isinstance(row[0], UUID) else row[0], *row[1:])
                for page in table_pages(reader.selected, *table, 1_000)
                for row in page
            ]
            for name, table in tables_of(env).items()
        }


def contents(env: Environment) -> dict[str, list[StoredRow]]:
    """The whole content of a store, in order; the log as its followers read it."""
    rows = rows_of(env)
    with closing(Store(env)) as store:
        log = store.recorder.select_notifications(0, len(rows[LOG]) + 1, inclusive_of_start=False)
    rows[LOG] = [
        (UUID(str(event.originator_id)).hex, event.originator_version, event.topic, event.state)
        for event in log
    ]
    return rows


def history(env: Environment) -> dict[str, list[StoredRow]]:
    """The same without the store's incarnations: a restored store begins one of its own, and says
    why."""
    rows = contents(env)
    own = (INCARNATIONS.hex, HISTORY.hex)
    rows[KEYRINGS] = [row for row in rows[KEYRINGS] if row[0] not in own]
    return rows


Found = list[tuple[str, str | None, int | None]]
"""The part, the stream and the position of each finding."""


def report(folder: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    result = run("check", "--json", "--data", folder, *arguments)
    assert result.output.startswith("{"), result.output
    return result.exit_code, msgspec.json.decode(result.output)


def findings(folder: Path, *arguments: object) -> Found:
    """What is found, which is something."""
    status, answer = report(folder, *arguments)
    assert (status, answer["status"]) == (1, "damaged")
    assert all(one["advice"] for one in answer["findings"])
    return [(one["part"], one.get("stream"), one.get("position")) for one in answer["findings"]]
