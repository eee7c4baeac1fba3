"""`arbiter keys`: the keys of organisers, and those with which the service signs."""

from pathlib import Path
from typing import TextIO

import rich_click as click
from rich.table import Table
from rich.text import Text

from domain.names import GOOD_NAME, fault_in
from projections.fields import rfc3339
from service.auth.keyring import ORGANISERS
from service.auth.keys import Keyring
from service.cli.console import err, out
from service.cli.options import data_option, existing_store, make_folder, settings
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
from service.signing.signing_keys import ServiceSigner


@click.group()
def keys() -> None:
    """Issue, list, revoke and renew keys of organisers, and rotate the service's signing keys.
    Changes take effect within two seconds."""


def _keyring(store: Store) -> Keyring:
    return Keyring(store.keyrings, SystemClock().now)


@keys.command("list")
@data_option
def list_keys(data: Path) -> None:
    """Show the valid keys of organisers: since when, and their names. The keys themselves are not
    stored."""
    table = Table("id", "issued", "name", box=None)
    with existing_store(data) as store:
        for key in _keyring(store).list_valid(ORGANISERS):
            table.add_row(key.id, rfc3339(key.at), Text(key.name))
    out.print(table)


@keys.command()
@click.option("--name", default="", help="The person whose key it is.")
@data_option
def new(name: str, data: Path) -> None:
    """Issue a key of an organiser. Without a name it is the service's own, and may do
    everything."""
    if name and fault_in(name) is not None:
        raise click.UsageError(f"--name: {GOOD_NAME}")
    with existing_store(data) as store:
        (key,) = _keyring(store).issue(ORGANISERS, ["org"], name)
    out.print(key, soft_wrap=True)


@keys.command()
@click.argument("key_id")
@data_option
def revoke(key_id: str, data: Path) -> None:
    """Revoke a key of an organiser. KEY_ID is the id that `arbiter keys list` shows."""
    with existing_store(data) as store:
        keyring = _keyring(store)
        ring_keys = keyring.list_valid(ORGANISERS)
        match_key = next((key for key in ring_keys if key.id == key_id.lower()), None)
        if match_key is None:
            raise click.ClickException("there is no such key")
        keyring.revoke(ORGANISERS, match_key.hash)
    out.print(f"Revoked: issued {rfc3339(match_key.at)}")


def _signing(data: Path) -> ServiceSigner:
    instance_settings = settings(data)
    make_folder(instance_settings)
    return ServiceSigner(instance_settings.key_folder, instance_settings.signing.name)


@keys.command()
@data_option
def rotate(data: Path) -> None:
    """Sign with new keys from now on. The old private keys are destroyed. Their signatures can be
    verified forever with their public keys, which stay published. Tickets of streams that were
    issued before no longer work; clients get new ones."""
    for key in _signing(data).rotate():
        out.print(str(key), soft_wrap=True)
    out.print("The secret of tickets is another one")


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
    has seen. It seconds also what the person who issued the old one has ruled."""
    key = read_key(key_file)
    if key is None:
        raise click.UsageError(f"the key is missing: --key-file or {KEY}")
    with connected_service(url, key) as service:
        new = service.renew_key()
    out.print(Text(new), soft_wrap=True)
    err.print("The old key has ended. Keep the new one: it is not shown again.", style="yellow")
