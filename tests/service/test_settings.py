"""Settings from the environment, and the errors for wrong ones."""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from eventsourcing.postgres import PostgresFactory
from msgspec import Struct
from msgspec.structs import fields

from service.auth.rate_limiter import Rates
from service.event_store.database import EMBEDDED, POSTGRES
from service.event_store.postgres.connections import SIZES, TIMEOUTS
from service.event_store.sqlite.disk_room import MIB
from service.event_store.store import Store
from service.settings import GROUPS, POSTGRES_NEEDS, Settings, read_settings
from tests.support.repository import ROOT

DATA = Path("somewhere")
DATABASE = {
    "PERSISTENCE_MODULE": POSTGRES,
    "POSTGRES_DBNAME": "arbiter",
    "POSTGRES_HOST": "db.example.org",
    "POSTGRES_USER": "arbiter",
    "POSTGRES_PASSWORD": "secret",
}


def read(more: Mapping[str, str] | None = None) -> Settings:
    return read_settings(DATA, environment=more or {})


def test_by_default_the_store_is_a_file_in_the_folder_for_one_instance() -> None:
    chosen = read()
    assert chosen.store["PERSISTENCE_MODULE"] == EMBEDDED and chosen.embedded
    assert chosen.database == (DATA / "arbiter.db").resolve()
    assert chosen.key_folder == (DATA / "keys").resolve()
    assert not chosen.shared and chosen.redis is None
    assert chosen.location == str(chosen.database)
    assert chosen.limits.match_memory == 512 * MIB


def test_the_memory_for_open_matches() -> None:
    assert read({"ARBITER_MATCH_MEMORY": "64"}).limits.match_memory == 64 * MIB


def test_the_bytes_that_a_seat_may_record() -> None:
    assert read({}).limits.seat_bytes == 384 * 1024
    assert read({"ARBITER_SEAT_BYTES": "5000"}).limits.seat_bytes == 5_000
    assert (read({}).limits.grace, read({"ARBITER_GRACE": "60"}).limits.grace) == (10, 60)
    disk = read({"ARBITER_DISK_LOW": "200", "ARBITER_DISK_FULL": "20"}).disk
    assert (disk.low, disk.full) == (200, 20)


def test_postgresql_is_shared_and_its_keys_are_in_the_folder() -> None:
    chosen = read({**DATABASE, "ARBITER_REDIS_URL": "redis://cache:6379/0", "HOME": "/root"})
    assert chosen.shared and not chosen.embedded
    assert chosen.redis == "redis://cache:6379/0"
    assert chosen.key_folder == DATA / "keys"
    assert chosen.store == {**DATABASE, "POSTGRES_PORT": "5432"}
    assert "secret" not in chosen.location
    assert chosen.location == "PostgreSQL arbiter at db.example.org"


@pytest.mark.parametrize("schema", ["games", "_games_2", "g" * 63])
def test_a_schema_of_its_own(schema: str) -> None:
    assert read({**DATABASE, "POSTGRES_SCHEMA": schema}).store["POSTGRES_SCHEMA"] == schema


def test_the_librarys_names_of_a_store_are_those_of_ours() -> None:
    assert read({"PERSISTENCE_MODULE": "eventsourcing.sqlite"}).store == read().store
    named = read({**DATABASE, "PERSISTENCE_MODULE": "eventsourcing.postgres"})
    assert named.store == read(DATABASE).store


# Nothing that is set, everywhere.


def every_setting() -> Iterator[tuple[str, Mapping[str, str]]]:
    """Every setting, each with the environment in which it would have a meaning."""
    groups: tuple[type[Struct], ...] = (Settings, *GROUPS.values())
    for kind in groups:
        yield from ((one.encode_name, {}) for one in fields(kind) if one.encode_name.isupper())
    yield from ((name, {}) for name in ("PERSISTENCE_MODULE", "CREATE_TABLE"))
    yield from ((name, {}) for name in ("SQLITE_DBNAME", "SQLITE_LOCK_TIMEOUT"))
    library = [one for one in dir(PostgresFactory) if one.startswith("POSTGRES_")]
    for name in (*library, *TIMEOUTS, *SIZES, "CREATE_TABLE"):
        yield name, DATABASE


@pytest.mark.parametrize(("name", "beside"), [*every_setting()])
def test_an_empty_setting_is_an_unset_one(name: str, beside: Mapping[str, str]) -> None:
    unset = {one: value for one, value in beside.items() if one != name}
    if name in POSTGRES_NEEDS:
        for env in (unset, unset | {name: ""}):
            with pytest.raises(ValueError, match=f"{name} must be set"):
                read(env)
    else:
        assert read(unset | {name: ""}) == read(unset)


def test_every_setting_of_the_manual_is_tried_when_it_is_empty() -> None:
    manual = (ROOT / "service" / "web" / "docs" / "operate.md").read_text()
    tried = {name for name, _ in every_setting()} | {"ARBITER_DATA", "ARBITER_WORKERS"}
    rows = [line.split("|")[1] for line in manual.splitlines() if line.startswith("| `")]
    named = set(re.findall(r"`((?:ARBITER|SQLITE|PERS)[A-Z_]+)`", " ".join(rows)))
    assert named - tried == {"ARBITER_MATCH_KEY"}, "which no instance reads"


def test_the_environment_is_read_in_one_place() -> None:
    reads = re.compile(r"\bos\.environ|\bgetenv|import environ")
    parts = [ROOT / part for part in ("service", "domain", "projections")]
    reading = [
        file.name for part in parts for file in part.rglob("*.py") if reads.search(file.read_text())
    ]
    assert reading == ["settings.py"]


def test_the_library_reads_no_settings_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SQLITE_DBNAME", "ARBITER_SQLITE_DBNAME"):
        monkeypatch.setenv(name, str(tmp_path / "other.db"))
    monkeypatch.setenv("ARBITER_PERSISTENCE_MODULE", "eventsourcing.popo")
    with closing(Store(read_settings(tmp_path, environment={}).store)):
        assert [file.name for file in tmp_path.glob("*.db")] == ["arbiter.db"]


@pytest.mark.parametrize("port", [0, 9_000])
def test_an_address_that_is_typed_comes_before_that_of_the_environment(port: int) -> None:
    chosen = {"ARBITER_HOST": "10.0.0.1", "ARBITER_PORT": "8080"}
    typed = read_settings(DATA, "10.0.0.2", port, chosen).server
    assert (typed.host, typed.port) == ("10.0.0.2", port)
    unsaid = read_settings(DATA, None, None, chosen).server
    assert (unsaid.host, unsaid.port) == ("10.0.0.1", 8080)


def test_by_default_no_origin_is_named() -> None:
    assert read().server.origins == ()


def test_origins_are_separated_by_commas() -> None:
    named = "https://play.example.org, http://127.0.0.1:5173,http://[::1]:8080,*"
    assert read({"ARBITER_ORIGINS": named}).server.origins == (
        "https://play.example.org", "http://127.0.0.1:5173", "http://[::1]:8080", "*"
    )  # fmt: skip


@pytest.mark.parametrize(
    "origin",
    ["null", "play.example.org", "https://play.example.org/", "https://Play.example.org",
     "https://play.example.org:443", "http://play.example.org:80", "https://*.example.org",
     "https://a@example.org", "https://play.example.org\r\nX: y"],
)  # fmt: skip
def test_what_no_browser_sends_as_an_origin_is_refused(origin: str) -> None:
    with pytest.raises(ValueError, match="ARBITER_ORIGINS"):
        read({"ARBITER_ORIGINS": f"https://good.example.org,{origin}"})


@pytest.mark.parametrize(
    ("said", "address"),
    [("", None), ("https://play.example.org/", "https://play.example.org"),
     ("http://[::1]:8000", "http://[::1]:8000"), ("https://example.org/go", "https://example.org/go")],
)  # fmt: skip
def test_links_begin_with_the_public_address(said: str, address: str | None) -> None:
    assert read({"ARBITER_PUBLIC_URL": said}).server.public_url == address


@pytest.mark.parametrize(
    "said", ["play.example.org", "ftp://example.org", "https://a@example.org", "https://x/?y#z"]
)
def test_a_public_address_that_no_link_can_begin_with_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match="ARBITER_PUBLIC_URL"):
        read({"ARBITER_PUBLIC_URL": said})


def test_the_limits_of_one_sender() -> None:
    chosen = read({
        "ARBITER_RATE_BY_KEY": "10/second", "ARBITER_RATE_FAILURES": "off",
        "ARBITER_STREAMS_BY_KEY": "3", "ARBITER_TRUSTED_PROXIES": "10.0.0.0/8, 127.0.0.1",
    })  # fmt: skip
    assert chosen.rates == Rates(by_key="10/second", failures="off", streams_by_key=3)
    assert list(map(str, chosen.server.proxies)) == ["10.0.0.0/8", "127.0.0.1/32"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"ARBITER_ORGANISER_KEY": "short"}, "at least 32"),
        ({"ARBITER_LOG": "xml"}, "console or json"),
        ({"ARBITER_PORT": "http"}, "ARBITER_PORT"),
        ({"ARBITER_PORT": "65536"}, "ARBITER_PORT"),
        ({"ARBITER_NAME": "two words"}, "ARBITER_NAME"),
        *(
            ({"SQLITE_DBNAME": name}, "loses")
            for name in (":memory:", "file::memory:", "file:a?mode=memory", "file:/a?vfs=memdb")
        ),
        *(
            ({"PERSISTENCE_MODULE": name}, "PERSISTENCE_MODULE=.* is not one of our stores")
            for name in ("eventsourcing.popo", "service.event_store.postgre", "os", " ")
        ),
        ({"ARBITER_ORGANISER_KEY": " "}, "at least 32"),
        ({"ARBITER_REDIS_URL": "cache:6379"}, "redis://"),
        ({"ARBITER_RATE_BY_KEY": "many"}, "600/minute"),
        ({"ARBITER_STREAMS": "-1"}, "whole number"),
        ({"ARBITER_TRUSTED_PROXIES": "everybody"}, "ARBITER_TRUSTED_PROXIES"),
        *(
            ({"ARBITER_MATCH_MEMORY": some}, "the memory in MiB")
            for some in ("0", "-1", "1.5", "1G", " ")
        ),
        ({"ARBITER_SEAT_BYTES": "1 MiB"}, "the bytes of a seat"),
        ({"ARBITER_GRACE": "0"}, "the seconds of an absence"),
        ({"ARBITER_DISK_LOW": "1 GiB"}, "the free room in MiB"),
        ({"ARBITER_METRICS": "9464"}, "127.0.0.1:9464"),
        ({"ARBITER_DEMO": "yes"}, "say 1 or 0"),
        ({"PERSISTENCE_MODULE": POSTGRES}, "POSTGRES_DBNAME, POSTGRES_HOST, POSTGRES_USER"),
        *(
            ({**DATABASE, "POSTGRES_SCHEMA": schema}, "small letters, digits and _")
            for schema in ("Games", "my-games", "my games", " games", "1st", 'a"b', "a.b", "g" * 64)
        ),
    ],
    ids=str,
)
def test_a_wrong_setting_is_reported_in_a_sentence(wrong: Mapping[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(wrong)
