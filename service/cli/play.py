"""`arbiter play`: a seat plays a match at a terminal."""

from typing import TextIO

import rich_click as click

from service.cli.console import at_terminal
from service.cli.live_match import LiveMatch
from service.cli.screens.play_app import PlayApp
from service.cli.service_connection import KEY, LOCAL, key_option, read_key, url_option
from service.cli.typed_match import AtService

NO_TERMINAL = (
    "arbiter play needs a terminal. A program plays over HTTP (/docs/first-bot of the service);"
    " arbiter watch prints what happens, line by line."
)


@click.command()
@click.argument("match")
@url_option(LOCAL, "The service, if MATCH is an id.")
@key_option
def play(match: str, url: str, key_file: TextIO | None) -> None:
    """Play MATCH with the key of a seat: choose from what the seat may do, confirm, and see the
    receipt.

    MATCH is the address of a match on a running service, like
    https://play.example.org/v1/matches/ID, its id, or the beginning of one. A lost connection is
    opened again by itself, and an action counts once.
    """
    key = read_key(key_file)
    if key is None:
        raise click.UsageError(f"the key of a seat is needed: --key-file or {KEY}")
    if not at_terminal():
        raise click.ClickException(NO_TERMINAL)
    PlayApp(LiveMatch(AtService(match, url, key).address(), key)).show()
