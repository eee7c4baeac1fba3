"""The service under a role that may only read and write: with all rights of the manual it works,
and without one of them it says which."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.application.migration import migrate
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.postgres_server import PostgresServer, connect
from tests.support.servers.serve_process import refused_start, serve, started_match
from tests.support.waiting import wait_until

MANUAL = ROOT / "deploy" / "README.md"
GRANTS = [
    grant
    for block in re.findall(r"```sql\n(.*?)```", MANUAL.read_text(), re.DOTALL)
    for grant in block.split(";\n")
    if grant
]


@contextmanager
def restricted(server: PostgresServer) -> Iterator[Mapping[str, str]]:
    """The environment of a worker whose role has the rights of the manual."""
    owner = server.named_database("arbiter")
    server.execute("REVOKE CONNECT ON DATABASE arbiter FROM PUBLIC")
    migrate(owner)
    server.execute("CREATE ROLE worker LOGIN")
    with connect(owner) as connection:
        for grant in GRANTS:
            connection.execute(grant.encode())
    yield {**owner, "POSTGRES_USER": "worker", "CREATE_TABLE": "no"}


def test_a_worker_needs_the_grants_of_the_manual_and_says_which_is_missing(tmp_path: Path) -> None:
    with PostgresServer() as server, restricted(server) as env:
        owner = {**env, "POSTGRES_USER": "postgres"}
        with (
            serve(tmp_path / "data", environment=env) as service,
            service.client() as organiser,
            connect(owner) as operator,
        ):
            started_match(organiser)
            hook = {"url": "https://example.org/hook", "for": "everything"}
            assert local_http.get(f"{service.url}/readyz").json()["ready"]
            operator.execute("REVOKE DELETE, SELECT ON arbiter_webhooks FROM worker")
            refused = organiser.post("/v1/webhooks", json=hook)
            assert refused.status_code in (400, 503), refused.text
            listed = organiser.get("/v1/webhooks")
            assert (listed.status_code, listed.json()["code"]) == (503, "operator_needed")

            def found() -> object:
                answer = local_http.get(f"{service.url}/readyz")
                return answer.status_code, answer.json()["checks"]["database"]

            wait_until(lambda: found() == (503, "read_only"))
            assert "permission denied for table arbiter_webhooks" in service.errors
            operator.execute("GRANT SELECT, DELETE ON arbiter_webhooks TO worker")
            wait_until(lambda: found() == (200, "up"))


@pytest.mark.parametrize(
    ("revoked", "grant"),
    [
        ("DELETE ON arbiter_webhooks", "GRANT DELETE ON public.arbiter_webhooks TO worker"),
        ("ALL ON arbiter_deliveries", "GRANT SELECT, INSERT, UPDATE, DELETE ON public.arbiter_d"),
        ("USAGE ON ALL SEQUENCES IN SCHEMA public", "GRANT USAGE ON SEQUENCE public.arbiter_"),
        ("USAGE ON SCHEMA public", "GRANT USAGE ON SCHEMA public TO worker"),
    ],
    ids=str,
)
def test_a_missing_right_is_named_when_it_starts(tmp_path: Path, revoked: str, grant: str) -> None:
    with PostgresServer() as server, restricted(server) as env:
        with connect({**env, "POSTGRES_USER": "postgres"}) as operator:
            operator.execute(f"REVOKE {revoked} FROM worker, PUBLIC".encode())
        sentence = refused_start(tmp_path / "data", environment=env)
    assert grant in sentence and "Traceback" not in sentence
