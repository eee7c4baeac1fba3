"""`arbiter export`: writes everything that proves a match to one file."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import rich_click as click
from eventsourcing.persistence import IntegrityError

from domain.match.replay import replay
from domain.tournament.events import TournamentCreated
from domain.tournament.fold import fold
from domain.tournament.state import NOTHING_YET
from projections.audience.disclosure import MODERATOR, Viewer, name_audience
from service.cli.audiences import HELP, Seating, audience_called
from service.cli.auditing.audit_sources import read_match
from service.cli.console import out
from service.cli.options import data_option, existing_store, intact_records, settings
from service.cli.typed_files import write_private
from service.clock import SystemClock
from service.event_store.errors import ConcurrencyConflict
from service.event_store.recorder import Row
from service.event_store.secret_store import SecretsMissing, SecretStore
from service.event_store.store import Store
from service.event_store.stream_ids import TOURNAMENT
from service.settings import Settings
from service.signing.notary import CheckpointContradicted, Notary
from service.signing.signing_keys import ServiceSigner


@click.command()
@click.argument("subject", metavar="ID", type=click.UUID)
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
    help="Default: <id>.<audience>.arb",
)
@data_option
def export(subject: UUID, audience: str, path: Path | None, data: Path) -> None:
    """Write the bundle of the match or the tournament with this ID: its log, the openings for its
    reader, and the signatures; of a tournament also the public bundles of its matches.

    Anyone can check it with `arbiter verify` and a public key of this service (`arbiter keys
    published`), without trusting the service or contacting it. Before the end of a match only its
    moderators should have the bundle, because it shows the number of hidden events; before the
    close of a tournament only its organisers.
    """
    find = _tournament if subject.version == TOURNAMENT else _match
    with existing_store(data) as store:
        exported = find(store, subject, audience)
        content = asyncio.run(_bundle(store, settings(data), subject, exported.reader))
    target = path or Path(f"{subject}.{name_audience(exported.reader).replace(':', '')}.arb")
    try:
        write_private(target, content)
    except OSError as error:
        raise click.ClickException(f"{target} cannot be written: {error.strerror}") from None
    out.print(f"{target}: {len(content):,} bytes, for {name_audience(exported.reader)}")
    for warning in exported.warnings:
        out.print(warning, style="yellow")


class Exported(NamedTuple):
    """For whom something is exported, and whom else it is not for."""

    reader: Viewer
    warnings: Sequence[str]


def _match(store: Store, match: UUID, audience: str) -> Exported:
    recorded_match = read_match(store, match)
    reader = recorded_match.reader(audience)
    state = replay(
        recorded_match.match, [record for record in recorded_match.records if record is not None]
    )[1]
    warnings = []
    if not state.over:
        warnings.append("The match is not over: this is for its moderators alone.")
    if reader == MODERATOR and state.created.record == "closed":
        warnings.append("Its record is closed: this is for its moderators alone.")
    return Exported(reader, warnings)


def _tournament(store: Store, tournament: UUID, audience: str) -> Exported:
    records = intact_records(store, tournament)
    if not records or not isinstance(records[0].event, TournamentCreated):
        raise click.ClickException("there is no such tournament in this store")
    state = fold(NOTHING_YET, [record.event for record in records])
    reader = audience_called(audience, Seating(state.players))
    if state.competition.champions is not None:
        return Exported(reader, ())
    return Exported(reader, ["The tournament is not closed: this is for its organisers alone."])


async def _bundle(
    store: Store, instance_settings: Settings, subject: UUID, reader: Viewer
) -> bytes:
    async def append(rows: Sequence[Row]) -> None:
        try:
            store.append(rows)
        except IntegrityError:
            raise ConcurrencyConflict from None

    signing = ServiceSigner(instance_settings.key_folder, instance_settings.signing.name)
    signing.make()
    clock = SystemClock()
    notary = Notary(store, SecretStore(store.secrets), append, signing, clock)
    try:
        return await notary.bundle(subject, reader)
    except SecretsMissing as missing:
        raise click.ClickException(str(missing)) from None
    except CheckpointContradicted:
        raise click.ClickException(
            "the record has been altered: it does not extend its signed checkpoint"
        ) from None
    finally:
        notary.close()
