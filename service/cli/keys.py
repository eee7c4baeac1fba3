"""`arbiter keys`: the keys of organisers, of matches and of tournaments."""

from collections.abc import Callable
from pathlib import Path
from typing import TextIO
from uuid import UUID

import rich_click as click
from rich.table import Table
from rich.text import Text

from domain.names import GOOD_NAME, fault_in
from domain.rulings.events import SeatReplaced
from projections.texts.timestamps import rfc3339
from service.auth.key_events import OPERATOR, Slot, WantedKey, new_id
from service.auth.key_form import ORGANISERS, is_of_match
from service.auth.keys import Keyring
from service.cli.console import err, out
from service.cli.options import (
    data_option,
    existing_store,
    intact_records,
    make_folder,
    settings,
)
from service.cli.service_connection import (
    KEY,
    LOCAL,
    connected_service,
    key_option,
    read_key,
    url_option,
)
from service.clock import SystemClock
from service.event_store.store import Store
from service.signing.signing_keys import PURPOSES, TICKETS, ServiceSigner


@click.group()
def keys() -> None:
    """Issue, list, revoke and renew keys, and rotate the service's signing keys. Changes take
    effect within two seconds."""


def _ring_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options `--match` and `--tournament`, which choose the keyring."""
    tournament = click.option("--tournament", type=click.UUID, default=None, help="A tournament.")
    match = click.option(
        "--match", type=click.UUID, default=None, help="A match; without either: organisers."
    )
    return match(tournament(command))


def _ring(match: UUID | None, tournament: UUID | None) -> UUID:
    if match is not None and tournament is not None:
        raise click.UsageError("either --match or --tournament")
    return match or tournament or ORGANISERS


def _keyring(store: Store) -> Keyring:
    return Keyring(store.keyrings, SystemClock().now)


@keys.command("list")
@_ring_options
@data_option
def list_keys(match: UUID | None, tournament: UUID | None, data: Path) -> None:
    """Show the valid keys: for whom, since when, and their names. The keys themselves are not
    stored."""
    ring = _ring(match, tournament)
    table = Table("id", "for", "issued", "name", box=None)
    with existing_store(data) as store:
        for key in _keyring(store).listed(ring):
            row = (key.id, _holder(key.slot), rfc3339(key.at))
            table.add_row(*row, Text(key.name))
    out.print(table)


@keys.command()
@_ring_options
@click.option("--seat", type=click.IntRange(0), default=None, help="A seat of the match.")
@click.option("--player", type=click.IntRange(0), default=None, help="A player of the tournament.")
@click.option(
    "--moderator", type=click.IntRange(0), default=None, help="A moderator of the tournament."
)
@click.option("--name", default="", help="A name to recognise the key by.")
@data_option
def new(
    match: UUID | None,
    tournament: UUID | None,
    seat: int | None,
    player: int | None,
    moderator: int | None,
    name: str,
    data: Path,
) -> None:
    """Issue a key: for an organiser, for a match's moderator or seat, or for a tournament's player
    or moderator."""
    ring = _ring(match, tournament)
    numbers = {"s": seat, "p": player, "m": moderator}
    slots = [f"{kind}{n}" for kind, n in numbers.items() if n is not None]
    if match is None and seat is not None:
        raise click.UsageError("--seat needs --match")
    if tournament is None and (player is not None or moderator is not None):
        raise click.UsageError("--player and --moderator need --tournament")
    if tournament is not None and len(slots) != 1:
        raise click.UsageError("--tournament needs --player or --moderator")
    slot = slots[0] if slots else "org" if match is None else "mod"
    if name and fault_in(name) is not None:
        raise click.UsageError(f"--name: {GOOD_NAME}")
    with existing_store(data) as store:
        keyring = _keyring(store)
        if ring != ORGANISERS and slot not in {key.slot for key in keyring.issued(ring)}:
            what = "match has no such seat" if tournament is None else "tournament has no such one"
            raise click.ClickException(f"the {what}, or it is not there")
        key = _issued(store, keyring, ring, slot, name)
    out.print(key, soft_wrap=True)


def _issued(store: Store, keyring: Keyring, ring: UUID, slot: Slot, name: str) -> str:
    """A new key. One to a match goes on its record as the operator's doing; one to a seat is for
    whoever holds the seat now."""
    if is_of_match(slot):
        events = [record.event for record in intact_records(store, ring)]
        held = sum(isinstance(one, SeatReplaced) and slot == f"s{one.seat}" for one in events)
        return keyring.issue_later(ring, WantedKey(slot, name, new_id(), OPERATOR, held))
    return keyring.issue(ring, [slot], name)[0]


@keys.command()
@click.argument("key_id")
@_ring_options
@data_option
def revoke(key_id: str, match: UUID | None, tournament: UUID | None, data: Path) -> None:
    """Revoke a key. KEY_ID is the id that `arbiter keys list` shows."""
    ring = _ring(match, tournament)
    with existing_store(data) as store:
        keyring = _keyring(store)
        found = next((key for key in keyring.listed(ring) if key.id == key_id.lower()), None)
        if found is None:
            raise click.ClickException("there is no such key")
        if is_of_match(found.slot):
            keyring.revoke(ring, found.hash, OPERATOR)
        else:
            keyring.revoke(ring, found.hash)
    out.print(f"Revoked: {_holder(found.slot)}, issued {rfc3339(found.at)}")


def _signing(data: Path) -> ServiceSigner:
    chosen = settings(data)
    make_folder(chosen)
    return ServiceSigner(chosen.key_folder, chosen.signing.name)


@keys.command()
@click.option(
    "--purpose",
    type=click.Choice((*PURPOSES, TICKETS)),
    default=None,
    help="What the key signs, or the secret of tickets.  [default: all of them]",
)
@data_option
def rotate(purpose: str | None, data: Path) -> None:
    """Sign with new keys from now on. The old private keys are destroyed. Their signatures can be
    verified forever with their public keys, which stay published. Tickets of streams that were
    issued before are worth nothing; clients get new ones."""
    signing = _signing(data)
    for one in (*PURPOSES, TICKETS) if purpose is None else (purpose,):
        if one == TICKETS:
            signing.rotate_tickets()
            out.print("The secret of tickets is another one")
        else:
            out.print(str(signing.rotate(one)), soft_wrap=True)


@keys.command()
@data_option
def published(data: Path) -> None:
    """Show every public key with which the service has ever signed, for `arbiter verify`."""
    signing = _signing(data)
    if not signing.published():
        signing.make()
    for key in signing.published():
        out.print(key.key, soft_wrap=True)


@keys.command()
@url_option(LOCAL, "The service.")
@key_option
def renew(url: str, key_file: TextIO | None) -> None:
    """Make a key of a running service yours: it ends, and the new one is printed, which no one else
    has seen. From then on you second with it what the person has ruled who issued the old one."""
    key = read_key(key_file)
    if key is None:
        raise click.UsageError(f"the key is missing: --key-file or {KEY}")
    with connected_service(url, key) as service:
        new = service.renew_key()
    out.print(Text(new), soft_wrap=True)
    err.print("The old key has ended. Keep the new one: it is not shown again.", style="yellow")


def _holder(slot: Slot) -> str:
    if slot in ("org", "mod"):
        return {"org": "organiser", "mod": "moderator"}[slot]
    kind = {"s": "seat", "o": "organiser", "p": "player", "m": "moderator"}[slot[0]]
    return f"{kind} {slot[1:]}"
