"""`arbiter keys`: the keys of organisers and of matches."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import rich_click as click
from rich.table import Table

from projections.instants import rfc3339
from service.cli.options import data_option, existing_store, out
from service.clock import SystemClock
from service.keys import ORGANISERS, Keyring, Slot

ID_LENGTH = 12


@click.group()
def keys() -> None:
    """Issue, list and revoke keys. They work, or stop working, within two seconds."""


def _match_option(command: Callable[..., None]) -> Callable[..., None]:
    return click.option(
        "--match", type=click.UUID, default=None, help="A match; without it: organisers."
    )(command)


@contextmanager
def _keyring(data: Path) -> Iterator[Keyring]:
    with existing_store(data) as store:
        yield Keyring(store.keyrings, SystemClock().now)


@keys.command("list")
@_match_option
@data_option
def list_keys(match: UUID | None, data: Path) -> None:
    """Show the valid keys: for whom, since when, by what name. The keys themselves are not kept."""
    table = Table("id", "for", "issued", "name", box=None)
    with _keyring(data) as keyring:
        for key in keyring.listed(match or ORGANISERS):
            table.add_row(key.hash.hex()[:ID_LENGTH], _holder(key.slot), rfc3339(key.at), key.name)
    out.print(table)


@keys.command()
@_match_option
@click.option("--seat", type=click.IntRange(0), default=None, help="A seat of the match.")
@click.option("--name", default="", help="What to remember the key by.")
@data_option
def new(match: UUID | None, seat: int | None, name: str, data: Path) -> None:
    """Issue a key: for an organiser, or for a match's moderator or seat."""
    ring = match or ORGANISERS
    slot: Slot = "org" if match is None else "mod" if seat is None else f"s{seat}"
    if match is None and seat is not None:
        raise click.UsageError("--seat needs --match")
    with _keyring(data) as keyring:
        if match is not None and slot not in {key.slot for key in keyring.issued(ring)}:
            raise click.ClickException("the match has no such seat, or there is no such match")
        (key,) = keyring.issue(ring, [slot], name)
    out.print(key, soft_wrap=True)


@keys.command()
@click.argument("key_id")
@_match_option
@data_option
def revoke(key_id: str, match: UUID | None, data: Path) -> None:
    """Make a key worthless. KEY_ID is what `arbiter keys list` shows."""
    ring = match or ORGANISERS
    wanted = key_id.lower()
    if not re.fullmatch(rf"[0-9a-f]{{{ID_LENGTH},64}}", wanted):
        raise click.UsageError(f"an id is at least {ID_LENGTH} hexadecimal digits")
    with _keyring(data) as keyring:
        found = [key for key in keyring.listed(ring) if key.hash.hex().startswith(wanted)]
        if len(found) != 1:
            raise click.ClickException("there is no such key")
        keyring.revoke(ring, found[0].hash)
    out.print(f"Revoked: {_holder(found[0].slot)}, issued {rfc3339(found[0].at)}")


def _holder(slot: Slot) -> str:
    return {"org": "organiser", "mod": "moderator"}.get(slot, f"seat {slot[1:]}")
