"""The locations of stores that an operator can give, and the errors for wrong ones."""

from pathlib import Path

import pytest

from tests.support.cli.store_with_history import (
    StoreLocation,
    contents,
    refused,
    run,
    url,
)
from tests.support.servers.postgres_server import fresh_database

COPY = ("store", "copy")
HIDDEN = "p4ssw0rd"


def test_the_source_is_there(tmp_path: Path) -> None:
    for missing in (tmp_path / "nowhere", tmp_path / "nothing.db"):
        assert "there is no store at" in refused(*COPY, missing, tmp_path / "target")
        assert not missing.exists()
    assert not (tmp_path / "target").exists()


def test_the_source_is_a_store(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database at all, and long enough to be looked at")
    assert "not a database" in refused(*COPY, tmp_path / "text.db", tmp_path / "target")
    (tmp_path / "empty.db").touch()
    assert "the database lacks stored_events" in refused(
        *COPY, tmp_path / "empty.db", tmp_path / "target"
    )
    with fresh_database() as env:
        assert "the database lacks" in refused(*COPY, url(env), tmp_path / "target")


def test_a_store_is_not_copied_onto_itself(
    source: StoreLocation, target: StoreLocation, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "source")
    same = "SOURCE and TARGET are the same store"
    assert same in refused(*COPY, source.said, tmp_path / "link" / "arbiter.db")
    assert same in refused(*COPY, target.said, "environment", **target.env)


def test_the_environment_names_a_store(source: StoreLocation, target: StoreLocation) -> None:
    done = run("store", "copy", source.said, "environment", env=target.env)
    assert done.exit_code == 0, done.output
    assert contents(target.env) == contents(source.env)


def test_only_our_own_stores_are_understood(source: StoreLocation) -> None:
    said = refused(*COPY, source.said, "environment", PERSISTENCE_MODULE="eventsourcing.popo")
    assert "not one of our stores" in said


@pytest.mark.parametrize(
    "wrong",
    [
        f"postgresql://arbiter:{HIDDEN}#1@db/arbiter",
        f"postgresql://arbiter:{HIDDEN}/1@db/arbiter",
        f"postgresql://arbiter:12/{HIDDEN}@db/arbiter",
        f"postgresql://arbiter:12?{HIDDEN}@db/arbiter",
        f"postgresql://arbiter:[{HIDDEN}@db/arbiter",
        f"postgresql://arbiter:{HIDDEN}@db:port/arbiter",
        f"postgresql://arbiter:{HIDDEN}@db",
        f"postgresql://arbiter:{HIDDEN}@/arbiter",
        f"postgresql://:{HIDDEN}@db/arbiter",
        f"postgresql://arbiter:{HIDDEN}@db/arbiter?sslmode=require",
        f"postgresql://arbiter@db/arbiter?password={HIDDEN}",
        f"postgresql://arbiter:{HIDDEN}@db/arbiter?schema",
        f"mysql://arbiter:{HIDDEN}@db/arbiter",
        f"postgre://arbiter:{HIDDEN}@db/arbiter",
    ],
)
def test_a_wrong_url_is_refused_and_not_repeated(tmp_path: Path, wrong: str) -> None:
    said = refused(*COPY, wrong, tmp_path / "target")
    assert "not the URL of a database" in said and HIDDEN not in said
    assert list(tmp_path.iterdir()) == []


def test_a_password_is_sent_to_nobody_but_the_server(
    tmp_path: Path, source: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.event_store.postgres.connections.READ_RETRY_SECONDS", 0.2)
    nowhere = f"postgresql://arbiter:{HIDDEN}@127.0.0.1:1/arbiter"
    with fresh_database() as env:
        missing = url({**env, "POSTGRES_DBNAME": "missing"}, HIDDEN)
        for target in (nowhere, missing):
            for one, other in ((source.said, target), (target, tmp_path / "target")):
                said = refused(*COPY, one, other)
                assert HIDDEN not in said and ("refused" in said or "does not exist" in said), said
        done = run("store", "copy", source.said, url(env, HIDDEN))
        assert done.exit_code == 0 and HIDDEN not in done.output
