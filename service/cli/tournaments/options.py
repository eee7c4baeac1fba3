"""What the commands about one tournament take, and their connection to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, TypeVar
from uuid import UUID

import rich_click as click

from arbiter_client import Tournament
from service.cli.console import can_ask
from service.cli.service_connection import (
    LOCAL,
    connected_service,
    key_option,
    read_key,
    url_option,
)

F = TypeVar("F", bound=Any)


def of_tournament(command: F) -> F:
    """The argument and the options that all commands about one tournament take."""
    command = key_option(command)
    command = url_option(LOCAL, "The service.")(command)
    return click.argument("tournament", type=click.UUID)(command)


stage_option = click.option(
    "--stage", type=click.IntRange(1), help="The stage. [default: the one that is played]"
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


def check_asked(*, yes: bool) -> None:
    """Raises UsageError where nobody can be asked, and has to be."""
    if not (yes or can_ask()):
        raise click.UsageError("--yes is needed where nobody can be asked")


@contextmanager
def connected(tournament: UUID, url: str, key_file: TextIO | None) -> Iterator[Tournament]:
    """A tournament of a service."""
    with connected_service(url, read_key(key_file)) as service:
        yield service.tournament(str(tournament))
