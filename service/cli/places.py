"""Where a store lies, as an operator says it: a folder or a file, a URL, or the environment."""

import os
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import rich_click as click

from service.settings import EMBEDDED, POSTGRES, Settings, read_settings

ENVIRONMENT = "environment"
MISUNDERSTOOD = (
    "not the URL of a database: postgresql://user:password@host:port/dbname?schema=... is, with "
    "what is no letter and no digit in a name or a password written as %XX"
)
SCHEMES = ("postgresql", "postgres")
ASKED = ("schema", "host")
"""What may stand behind the question mark; `host` may be the folder of a socket."""

FILES = (".db", ".sqlite", ".sqlite3")
"""What is not there yet, and is to be a file, ends like this."""


def place(text: str) -> Settings:
    """The settings of an instance on the store that is meant, or an error for the operator."""
    try:
        if text == ENVIRONMENT:
            chosen = read_settings(Path(os.environ.get("ARBITER_DATA", "data")))
        else:
            more = _of_url(text) if "://" in text else _of_path(Path(text))
            kept = {n: v for n, v in os.environ.items() if n in ("ARBITER_KEYS", "CREATE_TABLE")}
            chosen = read_settings(Path("data"), environment=kept | more)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    if chosen.store["PERSISTENCE_MODULE"] not in (EMBEDDED, POSTGRES):
        raise click.ClickException("PERSISTENCE_MODULE names a store that is not one of ours")
    return chosen


def require_there(chosen: Settings) -> None:
    """An error for the operator if the file of an embedded store is missing."""
    if chosen.embedded and not chosen.database.is_file():
        raise click.ClickException(f"there is no store at {chosen.database}")


def _of_path(path: Path) -> dict[str, str]:
    is_file = path.is_file() or (not path.exists() and path.suffix in FILES)
    database = path if is_file else path / "arbiter.db"
    return {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(database)}


def _of_url(text: str) -> dict[str, str]:
    """The settings that a URL stands for. Raises ValueError that repeats nothing of it: wherever
    it is wrong, it may be that its password is taken for something else there."""
    try:
        parts = urlsplit(text)
        port = parts.port or 5432
        asked = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True))
    except ValueError:
        raise ValueError(MISUNDERSTOOD) from None
    host = asked.get("host") or unquote(parts.hostname or "")
    database, user = unquote(parts.path.removeprefix("/")), unquote(parts.username or "")
    odd = parts.fragment or set("/@") & set(database) or not set(asked) <= set(ASKED)
    if parts.scheme not in SCHEMES or odd or not (host and user and database):
        raise ValueError(MISUNDERSTOOD)
    return {
        "PERSISTENCE_MODULE": POSTGRES,
        "POSTGRES_DBNAME": database,
        "POSTGRES_HOST": host,
        "POSTGRES_PORT": str(port),
        "POSTGRES_USER": user,
        "POSTGRES_PASSWORD": unquote(parts.password or ""),
        "POSTGRES_SCHEMA": asked.get("schema", ""),
    }
