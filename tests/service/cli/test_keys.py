"""`arbiter keys`: names are shown as they were given."""

from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner

from service.auth.key_form import KeyReference
from service.auth.tickets import Tickets
from service.cli import main
from service.cli.service_connection import KEY
from service.event_store.stream_ids import time_ordered
from service.instance import Instance
from service.settings import read_settings
from service.signing.signing_keys import ServiceSigner
from tests.support.cli.store_with_history import run
from tests.support.servers.live_server import Live, Player


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
    run("keys", "rotate", "--purpose", "tickets", "--data", new_store)
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
