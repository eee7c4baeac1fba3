"""The service on databases and roles that others have set up: it plays as everywhere, or refuses
to start in one sentence."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.support.http import local_http
from tests.support.servers.postgres_server import PostgresServer, connect, server
from tests.support.servers.serve_process import refused_start, serve
from tests.support.waiting import wait_until

WAITING = 12
"""More requests than a process has threads that read the store."""

NAMES = ["Łukasz", "Ειρήνη"]

UNUSUAL = {
    "client_encoding": "LATIN1",
    "standard_conforming_strings": "off",
    "bytea_output": "escape",
    "DateStyle": "'SQL, DMY'",
    "IntervalStyle": "sql_standard",
    "TimeZone": "'Asia/Kathmandu'",
    "search_path": "pg_catalog",
    "default_transaction_isolation": "serializable",
    "default_transaction_deferrable": "on",
    "extra_float_digits": "'-15'",
    "transform_null_equals": "on",
    "array_nulls": "off",
    "quote_all_identifiers": "on",
    "row_security": "on",
    "idle_session_timeout": "'1s'",
}
"""Settings of a role or database that change what a statement means or returns."""


@contextmanager
def database(clause: str = "") -> Iterator[Mapping[str, str]]:
    """The environment of a new database."""
    name = f"d{uuid4().hex}"
    server().execute(f"CREATE DATABASE {name} {clause}")
    try:
        yield server().environment(name)
    finally:
        server().execute(f"DROP DATABASE {name} WITH (FORCE)")


def played(organiser: httpx.Client) -> str:
    """A match with names of every script in which an action was recorded once; its id."""
    new = {"game": "dollar-prize", "seats": NAMES, "chance": "manual"}
    match = organiser.post("/v1/matches", json=new).raise_for_status().json()
    path = f"/v1/matches/{match['id']}"
    organiser.post(f"{path}/start").raise_for_status()
    key = {"Authorization": f"Bearer {match['seats'][0]['key']}", "Idempotency-Key": "1"}
    action = {"type": "choose_side", "side": "heads"}
    answers = [organiser.post(f"{path}/actions", json=action, headers=key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    return str(match["id"])


def require_served(data: Path, environment: Mapping[str, str]) -> None:
    """Plays on a service with this environment, and reads the lists."""
    with serve(data, environment=environment) as service, service.client() as organiser:
        match = played(organiser)
        for query in ({}, {"name": NAMES[0]}, {"name": NAMES[1].upper()}):
            listed = organiser.get("/v1/matches", params=query).raise_for_status().json()
            assert [row["id"] for row in listed["matches"]] == [match]
        ready = local_http.get(f"{service.url}/readyz")
        assert (ready.status_code, ready.json()["ready"]) == (200, True), ready.text


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_of_another_encoding_is_refused(tmp_path: Path, encoding: str) -> None:
    with database(f"ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0") as env:
        sentence = refused_start(tmp_path / "data", environment=env)
    assert f"has the encoding {encoding}" in sentence
    assert "ENCODING 'UTF8'" in sentence, "it says what to do"
    assert "Traceback" not in sentence


def test_the_encoding_of_a_client_in_the_environment_changes_nothing(tmp_path: Path) -> None:
    with database() as env:
        require_served(tmp_path / "data", {**env, "PGCLIENTENCODING": "LATIN1"})


@pytest.mark.parametrize("whose", ["role", "database"])
def test_settings_that_others_have_made_change_nothing(tmp_path: Path, whose: str) -> None:
    with PostgresServer() as own:
        own.execute("CREATE ROLE other LOGIN SUPERUSER")
        env = {**own.named_database("other"), "POSTGRES_USER": "other"}
        for name, value in UNUSUAL.items():
            own.execute(f"ALTER {whose} other SET {name} = {value}")
        require_served(tmp_path / "data", env)


def test_what_was_put_into_options_changes_nothing(tmp_path: Path) -> None:
    options = "-c standard_conforming_strings=off -c search_path=pg_catalog -c TimeZone=Japan"
    with database() as env:
        require_served(tmp_path / "data", {**env, "PGOPTIONS": options})


def test_it_is_not_ready_while_the_log_cannot_be_followed(tmp_path: Path) -> None:
    with (
        database() as env,
        serve(tmp_path / "data", environment=env) as service,
        service.client() as organiser,
        connect(env) as operator,
    ):
        played(organiser)
        operator.execute("ALTER TABLE arbiter1_seats ADD CONSTRAINT none CHECK (false) NOT VALID")
        played(organiser)

        def checks() -> object:
            answer = local_http.get(f"{service.url}/readyz")
            return answer.status_code, answer.json()["checks"]["log"]

        wait_until(lambda: checks() == (503, "down"))
        operator.execute("ALTER TABLE arbiter1_seats DROP CONSTRAINT none")
        wait_until(lambda: checks() == (200, "up"))
        listed = organiser.get("/v1/matches").raise_for_status().json()["matches"]
        assert len(listed) == 2


def test_a_locked_table_of_calendars_keeps_no_list_waiting(tmp_path: Path) -> None:
    with (
        database() as env,
        serve(tmp_path / "data", environment=env) as service,
        service.client() as organiser,
        connect(env) as operator,
        ThreadPoolExecutor(WAITING) as waiting,
    ):
        played(organiser)
        feed = f"{service.url}/v1/calendar.ics?token={'a' * 43}"
        with operator.transaction():
            operator.execute("LOCK TABLE arbiter_calendars IN ACCESS EXCLUSIVE MODE")
            asked = [waiting.submit(local_http.get, feed) for _ in range(WAITING)]
            wait_until(lambda: blocked(env) >= 2)
            for _ in range(5):
                organiser.get("/v1/matches").raise_for_status()
            assert local_http.get(f"{service.url}/readyz").status_code == 200
        assert {one.result().status_code for one in asked} <= {404, 503}


def blocked(env: Mapping[str, str]) -> int:
    """How many sessions wait for a lock."""
    with connect(env) as other:
        found = other.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchall()
    return int(found[0][0])
