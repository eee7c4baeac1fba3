"""Copies of a store have no webhooks and no calendars, and send nothing."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import UUID

import pytest

from service.application.migration import migrate
from service.auth.keyring import KeyReference
from service.event_store.backup.backup import back_up
from service.event_store.database import embedded
from service.event_store.store import Store
from service.notices.notices import Notice
from service.notices.registrations import Addressed, Calendar, Webhook
from service.notices.webhook_table import FILE_END, WebhookTable, open_webhooks
from tests.support.instance.index_log import Log
from tests.support.instance.notice_sending import add, move, position
from tests.support.instants import NOON
from tests.support.servers.postgres_server import fresh_database, postgres_program

DUMPING = Path(__file__).parents[3] / "deploy/README.md"
(WITHOUT_PEOPLE,) = re.findall(r"\$ pg_dump .*'(--exclude-table-data=\S+)'", DUMPING.read_text())

HERE, OTHER = b"this incarnation", b"another incarnation"
KEY = KeyReference("org", UUID(int=1), b"hash")
URL, SECRET, TOKEN = "https://bots.example/of-ann", b"a-webhook's-secret", b"a-token's-hash"
WEBHOOK = Webhook("w", URL, SECRET, b"salt", ("started",), None, None, None, 60, KEY, NOON)


def filled(table: WebhookTable) -> None:
    table.belong(HERE)
    table.add(WEBHOOK)
    table.calendars.add(Calendar("c", TOKEN, "m", None, None, KEY, NOON))
    notice = Notice("started", "m", NOON, "match.started", {})
    add(table, [Addressed("w", "msg_1", notice, NOON)])
    move(table, 7)


def is_empty(table: WebhookTable) -> bool:
    found = (table.all(), table.new(), table.calendars.all(), table.deliveries("w", 0, 9))
    assert len({bool(rows) for rows in found}) == 1
    return not table.all()


@contextmanager
def opened(env: dict[str, str]) -> Iterator[WebhookTable]:
    with closing(Store(env)) as store, closing(open_webhooks(store)) as table:
        yield table


def test_they_belong_to_one_incarnation(log: Log, table: WebhookTable) -> None:
    filled(table)
    table.belong(HERE)
    assert not is_empty(table) and position(table) == 7
    table.belong(OTHER)
    assert is_empty(table) and position(table) == 0 and table.due(NOON) == []
    table.add(WEBHOOK)
    table.belong(OTHER)
    assert table.all() == [WEBHOOK]


def test_they_lie_in_a_file_of_their_own_without_what_was_deleted(tmp_path: Path) -> None:
    database, backup = tmp_path / "arbiter.db", tmp_path / "backup"
    env = embedded(database)
    migrate(env)
    with opened(env) as table:
        filled(table)
        back_up(database, backup, NOON, dict, lambda *_: None)
        beside = database.with_name(database.name + FILE_END)
        files = [file for file in tmp_path.iterdir() if not file.name.startswith(beside.name)]
        assert {backup, database} <= set(files)
        for secret in (URL.encode(), SECRET, TOKEN):
            assert not any(secret in file.read_bytes() for file in files)
        assert beside.stat().st_mode & 0o777 == 0o600
        table.remove("w")
    assert URL.encode() not in beside.read_bytes() and TOKEN in beside.read_bytes()


@pytest.mark.parametrize("copied", [True, False], ids=["copied", "moved"])
def test_a_copy_of_the_folder_has_none_and_a_folder_that_was_moved_has(
    tmp_path: Path, copied: bool
) -> None:
    folder, other = tmp_path / "one", tmp_path / "two"
    folder.mkdir()
    with opened(embedded(folder / "arbiter.db")) as table:
        filled(table)
    if copied:
        shutil.copytree(folder, other)
    else:
        folder.rename(other)
    with opened(embedded(other / "arbiter.db")) as table:
        table.belong(HERE)
        assert is_empty(table) == copied
    if copied:
        with opened(embedded(folder / "arbiter.db")) as table:
            table.belong(HERE)
            assert not is_empty(table)


@pytest.mark.parametrize("option", [WITHOUT_PEOPLE, None], ids=["documented", "other"])
def test_a_dump_as_documented_has_none_and_any_other_sends_nothing(option: str | None) -> None:
    options = () if option is None else (option,)
    with fresh_database() as env, fresh_database() as copy:
        with opened(env) as table:
            filled(table)
            dump = run(env, "pg_dump", "--no-owner", *options)
            table.belong(HERE)
            assert not is_empty(table)
        for secret in (URL.encode().hex(), SECRET.hex(), TOKEN.hex()):
            assert (secret in dump) == (option is None)
        run(copy, "psql", "--quiet", "--set=ON_ERROR_STOP=1", content=dump)
        with opened(copy) as table:
            assert is_empty(table) == (option is not None)
            table.belong(HERE)
            assert is_empty(table)


def run(env: dict[str, str], program: str, *options: str, content: str | None = None) -> str:
    """Runs a program of PostgreSQL on a database."""
    where = [f"--host={env['POSTGRES_HOST']}", f"--username={env['POSTGRES_USER']}"]
    where += [f"--port={env.get('POSTGRES_PORT') or 5432}", f"--dbname={env['POSTGRES_DBNAME']}"]
    done = subprocess.run(
        [postgres_program(program), *where, *options], input=content, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
