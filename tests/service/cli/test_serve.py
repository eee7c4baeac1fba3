"""The commands that serve and name: help, what `arbiter serve` prints, and keys by their names."""

import re
import sys
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner

from service.auth.keyring import KeyReference
from service.auth.tickets import Tickets
from service.cli import COMMANDS, GROUPS, main
from service.cli.serve import address_of, greet
from service.cli.service_connection import KEY
from service.event_store.stream_ids import time_ordered
from service.instance import Instance
from service.settings import read_settings
from service.signing.signing_keys import ServiceSigner
from tests.support.cli.store_with_history import run
from tests.support.repository import ROOT
from tests.support.servers.live_server import Live, Player


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),  # noqa: S104
        ("::", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("arbiter.example", "http://arbiter.example:8000"),
    ],
)
def test_the_address_can_be_opened(host: str, address: str) -> None:
    assert address_of(host, 8000) == address


def greeting(data: Path, capsys: pytest.CaptureFixture[str], **environment: str) -> list[str]:
    greet(read_settings(data, environment=environment), 9000, 1)
    return capsys.readouterr().out.splitlines()


def test_the_first_start_shows_a_key_and_how_to_use_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/arbiter", "serve"])
    at, manual, stored, shown, key, bots, demo = greeting(tmp_path, capsys)
    assert at.startswith("Arbiter at http://127.0.0.1:9000 ")
    assert manual.endswith("http://127.0.0.1:9000/docs")
    assert stored.endswith(str(tmp_path / "arbiter.db"))
    assert "Organiser key" in shown
    assert key.startswith("arb_org_")
    assert "bots" in bots
    assert demo == f".venv/bin/arbiter demo --url http://127.0.0.1:9000 --key {key}"


def test_a_later_start_says_how_to_get_another_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/service/cli/__main__.py", "serve"])
    first = greeting(tmp_path, capsys)
    *_, later = greeting(tmp_path, capsys)
    assert later == f"Organiser keys issued: 1; another: arbiter keys new --data {tmp_path}"
    assert first[4] not in later


def test_a_configured_key_is_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = "k" * 32
    *_, last = said = greeting(tmp_path, capsys, ARBITER_ORGANISER_KEY=key)
    assert last == "Organiser key: the one in ARBITER_ORGANISER_KEY"
    assert key not in "".join(said)


def test_the_help_lists_each_command_once_in_its_group() -> None:
    shown = CliRunner().invoke(main, ["--help"]).stdout
    titles = [re.search(rf"─ {re.escape(title)} ─", shown) for title in GROUPS]
    starts = [found.start() for found in titles if found is not None]
    parts = [shown[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
    listed = [re.findall(r"^│ ([a-z-]+) ", part, re.MULTILINE) for part in parts]
    assert listed == [list(group) for group in GROUPS.values()]


def test_no_command_is_in_two_groups() -> None:
    assert len(COMMANDS) == sum(map(len, GROUPS.values()))


def test_the_documentation_lists_the_same() -> None:
    page = (ROOT / "service/web/docs/command-line.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| (`[^|]+) \|$", page, re.MULTILINE)
    named = {row[0].partition(",")[0]: re.findall(r"`([a-z-]+)`", row[1]) for row in rows}
    assert named == {title: list(group) for title, group in GROUPS.items()}


@pytest.fixture
def new_store(tmp_path: Path) -> Path:
    """The folder of a new store."""
    Instance(read_settings(tmp_path, environment={})).store.close()
    return tmp_path


@pytest.mark.parametrize("name", ["[/]", "[red]", "[bold]x[/bold]", ":smile:", "ordinary"])
def test_a_name_is_listed_as_it_was_given(new_store: Path, name: str) -> None:
    assert run("keys", "new", "--name", name, "--data", new_store).exit_code == 0
    listed = run("keys", "list", "--data", new_store)
    assert listed.exit_code == 0, listed.output
    assert listed.output.splitlines()[-1].rstrip().endswith(f" {name}")


def test_all_secrets_are_rotated(new_store: Path) -> None:
    def secrets() -> dict[str, bytes]:
        return {
            str(file): file.read_bytes() for file in sorted((new_store / "keys").rglob("*.key"))
        }

    signer = ServiceSigner(new_store / "keys", "arbiter")
    signer.make()
    signer.ticket_secret()
    before = secrets()
    assert len(before) == 3
    assert run("keys", "rotate", "--data", new_store).exit_code == 0
    after = secrets()
    assert after.keys() == before.keys()
    assert not set(after.values()) & set(before.values())


def test_a_running_service_takes_the_new_secret_of_tickets(new_store: Path) -> None:
    signer = ServiceSigner(new_store / "keys", "arbiter")
    signer.make()
    tickets = Tickets(signer.ticket_secret())
    signer.use_ticket_secret = tickets.use
    match, ticket = UUID(int=1), time_ordered(0)
    key = KeyReference("org", match, b"hash")
    issued, _ = tickets.issue(ticket, match, "public", key)
    assert tickets.read(issued, match, 1) is not None
    run("keys", "rotate", "--data", new_store)
    signer.refresh()
    assert tickets.read(issued, match, 1) is None
    issued, _ = tickets.issue(ticket, match, "public", key)
    assert tickets.read(issued, match, 1) is not None


# `arbiter keys renew`: a key is made its holder's.


def test_the_new_key_alone_is_printed_and_the_old_one_ends(live: Live) -> None:
    match = live.started("twelve-chips")
    old = match.seats[0]
    asked = ["keys", "renew", "--url", live.url]
    shown = CliRunner().invoke(main, asked, env={KEY: old.client.key})
    assert shown.exit_code == 0, shown.output
    new = Player(live.bearing(shown.stdout.strip()), match.id)
    assert new.view().json()["audience"] == "seat:0"
    assert old.view().status_code == 401
    assert "Keep the new one" in shown.stderr


@pytest.mark.parametrize("key", [None, "arb_s0_x"])
def test_without_a_valid_key_nothing_is_printed(live: Live, key: str | None) -> None:
    shown = CliRunner().invoke(main, ["keys", "renew", "--url", live.url], env={KEY: key})
    assert shown.exit_code in (1, 2) and shown.stdout == ""
