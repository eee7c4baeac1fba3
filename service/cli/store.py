"""`arbiter store`: everything in a store, moved to another one."""

import shlex
from contextlib import ExitStack
from time import perf_counter

import rich_click as click
from eventsourcing.persistence import PersistenceError

from service.cli.arrival import counting, finish, tell
from service.cli.options import alone, out
from service.cli.places import place, require_there
from service.settings import Settings
from service.storage.copying import NotEmpty, Sums, copy, facts_of
from service.storage.facts import TABLES
from service.storage.migration import may_migrate, migrate


@click.group()
def store() -> None:
    """The store as a whole."""


@store.command("copy")
@click.argument("source")
@click.argument("target")
@click.option(
    "--verify-all",
    is_flag=True,
    help="Hold every log against what was signed of it, not a hundred of them.",
)
def copy_store(source: str, target: str, verify_all: bool) -> None:
    """Copy everything from SOURCE to the empty TARGET: the log, the secrets, the keys.

    Each is a folder or file of the embedded store, or a URL of PostgreSQL,
    postgresql://user:password@host:port/dbname?schema=..., or the word `environment` for what
    PERSISTENCE_MODULE and the variables beside it say. A password on the command line can be seen
    by others on the machine: leave it out and set PGPASSWORD, or say `environment`.

    Nobody may serve either of them meanwhile. All arrives in one transaction, which is committed
    when everything has been read again and is alike: if it breaks off, TARGET is as empty as
    before, and the copy can be begun again.
    """
    begun, meant = place(source), place(target)
    if _address(begun) == _address(meant):
        raise click.ClickException("SOURCE and TARGET are the same store")
    require_there(begun)
    try:
        with ExitStack() as held:
            for chosen in (begun, meant):
                if chosen.embedded:
                    held.enter_context(alone(chosen))
            if may_migrate(meant.store):
                migrate(meant.store)
            tell(*_copied(begun, meant))
            finish(meant, verify_all)
    except NotEmpty as error:
        raise click.ClickException(f"{meant.place} is not empty: {error}") from None
    except (PersistenceError, OSError) as error:
        raise click.ClickException(str(error)) from None
    out.print(f"Copied to {meant.place}", style="bold")
    _tell_of_keys(begun, meant)


def _copied(begun: Settings, meant: Settings) -> tuple[Sums, float]:
    """What was copied, and how many seconds it took."""
    since = perf_counter()
    with facts_of(begun.store) as source, facts_of(meant.store) as target:
        rows = sum(source.count(table) for table in TABLES)
        with counting(rows) as progress:
            sums = copy(source, target, progress)
    return sums, perf_counter() - since


def _address(chosen: Settings) -> tuple[str, ...]:
    """Where a store lies, however it was said."""
    if chosen.embedded:
        return (str(chosen.database.resolve()),)
    names = ("POSTGRES_HOST", "POSTGRES_PORT", "POSTGRES_DBNAME")
    schema = chosen.store.get("POSTGRES_SCHEMA") or "public"
    return (*(chosen.store[name] for name in names), schema)


def _keys_of(chosen: Settings) -> str:
    """The folder of the signing keys, as far as it is known."""
    known = chosen.embedded or chosen.keys is not None
    return str(chosen.key_folder.absolute()) if known else "DATA/keys"


def _tell_of_keys(begun: Settings, meant: Settings) -> None:
    """The signing keys are in no store: without them nobody could sign for it any more."""
    there, wanted = _keys_of(begun), _keys_of(meant)
    if there == wanted:
        out.print(f"The signing keys are files and stay where they are: {there}", soft_wrap=True)
        return
    out.print("The signing keys are files and were not copied. Before anybody serves the copy:")
    out.print(
        f"  mkdir -p {shlex.quote(wanted)} && cp -a {shlex.quote(there)}/. {shlex.quote(wanted)}/",
        soft_wrap=True,
    )
    if not (begun.embedded and meant.embedded):
        out.print("DATA is what an instance on PostgreSQL has as --data; or it has ARBITER_KEYS.")
