"""`arbiter export`: writes everything that proves a match to one file."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import rich_click as click
from eventsourcing.persistence import IntegrityError

from domain.match.replay import replayed
from projections.audience.disclosure import MODERATOR, Viewer, named
from service.cli.audiences import HELP
from service.cli.auditing.recorded_match import stored
from service.cli.console import out
from service.cli.options import data_option, existing_store, settings
from service.cli.typed_files import write_whole
from service.clock import SystemClock
from service.event_store.errors import ConcurrencyConflict
from service.event_store.recorder import Row
from service.event_store.secret_store import SecretsMissing, SecretStore
from service.event_store.store import Store
from service.settings import Settings
from service.signing.notary import CheckpointContradicted, Notary
from service.signing.signing_keys import ServiceSigner


@click.command()
@click.argument("match", type=click.UUID)
@click.option(
    "--as",
    "audience",
    default="public",
    show_default=True,
    help=f"Who may read it: {HELP} For moderators everything is opened.",
)
@click.option(
    "--out",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Default: <match>.<audience>.arb",
)
@data_option
def export(match: UUID, audience: str, path: Path | None, data: Path) -> None:
    """Write the bundle of MATCH, an id: its log, the openings for its reader, and the signatures.

    Anyone can check it with `arbiter verify` and a public key of this service (`arbiter keys
    published`), without trusting the service or contacting it. Before the end of a match only its
    moderators should have the bundle, because it shows the number of hidden events.
    """
    with existing_store(data) as store:
        found = stored(store, match)
        reader = found.reader(audience)
        made = asyncio.run(_bundle(store, settings(data), match, reader))
    records = [one for one in found.records if one is not None]
    state = replayed(found.match, records)[1]
    target = path or Path(f"{match}.{named(reader).replace(':', '')}.arb")
    try:
        write_whole(target, made)
    except OSError as error:
        raise click.ClickException(f"{target} cannot be written: {error.strerror}") from None
    out.print(f"{target}: {len(made):,} bytes, for {named(reader)}")
    if not state.over:
        out.print("The match is not over: this is for its moderators alone.", style="yellow")
    if reader == MODERATOR and state.created.record == "closed":
        out.print("Its record is closed: this is for its moderators alone.", style="yellow")


async def _bundle(store: Store, chosen: Settings, match: UUID, reader: Viewer) -> bytes:
    async def append(rows: Sequence[Row]) -> None:
        try:
            store.append(rows)
        except IntegrityError:
            raise ConcurrencyConflict from None

    signing = ServiceSigner(chosen.key_folder, chosen.signing.name)
    signing.make()
    clock = SystemClock()
    notary = Notary(store, SecretStore(store.secrets), append, signing, clock)
    try:
        return await notary.bundle(match, reader)
    except SecretsMissing as missing:
        raise click.ClickException(str(missing)) from None
    except CheckpointContradicted:
        raise click.ClickException(
            "the record has been altered: it does not extend its signed checkpoint"
        ) from None
    finally:
        notary.close()
