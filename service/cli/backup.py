"""`arbiter backup` and `arbiter restore`: the embedded store in one file, and back."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rich_click as click
from eventsourcing.persistence import PersistenceError
from msgspec.structs import replace

from projections.instants import rfc3339
from service.cli.arrival import bar, finish, told
from service.cli.options import alone, data_option, err, out, settings
from service.cli.places import require_there
from service.clock import SystemClock
from service.proof.signing import PRIVATE, PURPOSES, VERIFIERS
from service.settings import Settings
from service.storage.backup import Files, back_up, check, files_in, on_disk, restored
from service.storage.signed import Altered

FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
WITHOUT_PRIVATE = "The private signing keys are not in it"


@click.command()
@FILE
@click.option(
    "--with-signing-keys",
    is_flag=True,
    help="Put the private signing keys in as well: who has the file can sign as the service.",
)
@data_option
def backup(file: Path, with_signing_keys: bool, data: Path) -> None:
    """Write the embedded store to FILE, as it is at one moment; the service may run meanwhile.

    It is whole and on disk when this is done, and read again by then. The public signing keys are
    in it. So are secrets of matches that are not over: it is readable for its owner alone.
    """
    chosen = settings(data)
    while_served = "also while it is served"
    _require_embedded(chosen, while_served, "pg_dump", "--format=custom", f"--file={file}")
    require_there(chosen)
    names = (VERIFIERS, PRIVATE) if with_signing_keys else (VERIFIERS,)
    with _told_in_a_sentence(), bar() as shown:
        task = shown.add_task("copying", total=None)
        made = back_up(
            chosen.database,
            file,
            SystemClock().now(),
            lambda: _signing_keys(chosen.key_folder, names),
            lambda left, pages: shown.update(task, completed=pages - left, total=pages),
        )
    out.print(f"{file}: {told(made.sums)}, {file.stat().st_size:,} bytes", soft_wrap=True)
    if not with_signing_keys:
        out.print(f"{WITHOUT_PRIVATE}: keep {chosen.key_folder} apart", soft_wrap=True)


@click.command()
@FILE
@click.option(
    "--verify-all",
    is_flag=True,
    help="Hold every log against what was signed of it, not a hundred of them.",
)
@click.option(
    "--despite-altered",
    is_flag=True,
    help="Put it there even if logs are not those of which something was signed.",
)
@data_option
def restore(file: Path, verify_all: bool, despite_altered: bool, data: Path) -> None:
    """Put the store in FILE where there is none.

    It has its name only when it has been read again and is what was backed up, when the lists have
    been made, and when its logs extend what was signed of them.
    """
    chosen = settings(data)
    into = "on an empty database"
    _require_embedded(chosen, into, "pg_restore", "--single-transaction", str(file))
    if not file.is_file():
        raise click.ClickException(f"there is no backup at {file}")
    with alone(chosen), _told_in_a_sentence():
        manifest = check(file)
        keys = _wanted_keys(chosen.key_folder, files_in(file))
        with restored(file, chosen.database) as arriving:
            renamed = {**chosen.store, "SQLITE_DBNAME": str(arriving)}
            _look_at(replace(chosen, store=renamed), verify_all, despite_altered)
            _write(chosen.key_folder, keys)
    out.print(f"{told(manifest.sums)}: read again and alike", soft_wrap=True)
    out.print(f"Restored to {chosen.database}, of {rfc3339(manifest.made_at)}", style="bold")
    _tell_of_private_keys(chosen)


def _look_at(chosen: Settings, every: bool, despite_altered: bool) -> None:
    try:
        finish(chosen, every)
    except Altered as altered:
        if not despite_altered:
            raise
        out.print(str(altered), style="bold red", soft_wrap=True)


def _signing_keys(folder: Path, names: tuple[str, ...]) -> Files:
    """The files of the signing keys that are there. The private key first: its public half is among
    the others before it is in force."""
    paths = [folder / purpose / name for name in reversed(names) for purpose in PURPOSES]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.exists()}


def _wanted_keys(folder: Path, kept: Files) -> Files:
    """The files of the backup that are to be written. Those that are there stay, if they are the
    keys of this store: every public key in the backup is among them."""
    missing = {}
    for purpose in PURPOSES:
        there = folder / purpose / VERIFIERS
        mine = {name: c for name, c in kept.items() if name.startswith(f"{purpose}/")}
        if not (folder / purpose).exists():
            missing.update(mine)
            continue
        known = there.read_bytes().split() if there.exists() else []
        if not set(mine.get(f"{purpose}/{VERIFIERS}", b"").split()) <= set(known):
            raise OSError(f"{folder / purpose} has the keys of another store: move it away")
    return missing


def _write(folder: Path, files: Files) -> None:
    """Puts files in their places, on disk when this returns."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mode = 0o600 if path.name == PRIVATE else 0o644
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as opened:
            opened.write(content)
        path.chmod(mode)
        on_disk(path)
        on_disk(path.parent)


def _tell_of_private_keys(chosen: Settings) -> None:
    missing = [
        path for purpose in PURPOSES if not (path := chosen.key_folder / purpose / PRIVATE).exists()
    ]
    if missing:
        out.print(f"{WITHOUT_PRIVATE}. Before anybody serves the store, put these back,")
        out.print("or make new ones with `arbiter keys rotate`:")
        for path in missing:
            out.print(f"  {path}", soft_wrap=True)


def _require_embedded(chosen: Settings, when: str, program: str, *options: str) -> None:
    """Raises an error for the operator if the store is PostgreSQL, and names the command that does
    it there, on a line to be copied."""
    if chosen.embedded:
        return
    env = chosen.store
    where = [f"--{name}={env[f'POSTGRES_{name.upper()}']}" for name in ("host", "port")]
    where += [f"--username={env['POSTGRES_USER']}", f"--dbname={env['POSTGRES_DBNAME']}"]
    if env.get("POSTGRES_SCHEMA"):
        where.append(f"--schema={env['POSTGRES_SCHEMA']}")
    err.print(shlex.join([program, *where, *options]), soft_wrap=True)
    raise click.ClickException(f"the store is PostgreSQL: use the command above, {when}")


@contextmanager
def _told_in_a_sentence() -> Iterator[None]:
    try:
        yield
    except (PersistenceError, OSError) as error:
        raise click.ClickException(str(error)) from None
