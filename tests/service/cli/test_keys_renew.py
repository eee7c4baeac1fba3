"""`arbiter keys renew`: a key is made its holder's."""

import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.service_connection import KEY
from tests.support.servers.live_server import Live, Player


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
