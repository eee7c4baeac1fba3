"""`arbiter rule` run against a service, at a terminal or without one."""

from collections.abc import Callable
from importlib import import_module

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from service.cli import main
from tests.support.servers.live_server import Live, Player

command = import_module("service.cli.rulings.rule")
"""The module; its name in the package is the name of the command."""

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command with a key. What is `typed` is typed at a terminal; without it there is
    none."""
    monkeypatch.setattr(command, "out", Console(highlight=False, width=100))

    def running(
        address: str, *arguments: str, key: str | None = None, typed: str | None = None
    ) -> Result:
        monkeypatch.setattr(command, "can_ask", lambda: typed is not None)
        monkeypatch.setenv("ARBITER_MATCH_KEY", key or "")
        return CliRunner().invoke(main, ["rule", address, *arguments], input=typed)

    return running


def address(live: Live, player: Player) -> str:
    """The address of a match, as it is typed."""
    return f"{live.url}{player.path}"
