"""Parses the location of a store: a folder or a file, a URL, or the word `environment`."""

from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import rich_click as click

from service.event_store.database import EMBEDDED, POSTGRES
from service.settings import Settings, read_settings, variables

ENVIRONMENT = "environment"
MISUNDERSTOOD = (
    "not the URL of a database, postgresql://user:password@host:port/dbname?schema=...; in names "
    "and passwords, write characters other than letters and digits as %XX"
)
SCHEMES = ("postgresql", "postgres")
PARAMETERS = ("schema", "host")
"""Allowed parameters after the question mark; `host` may be the folder of a socket."""

FILES = (".db", ".sqlite", ".sqlite3")
"""A path that does not exist yet is a file if it ends like this, else a folder."""


def store_settings(text: str) -> Settings:
    """The settings of an instance on the store. Raises an error for the operator if the text is not
    a location."""
    try:
        if text == ENVIRONMENT:
            chosen = read_settings(Path(variables("ARBITER_DATA").get("ARBITER_DATA", "data")))
        else:
            named = _of_url(text) if "://" in text else _of_path(Path(text))
            inherited = variables("ARBITER_KEYS", "CREATE_TABLE")
            chosen = read_settings(Path("data"), environment=inherited | named)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    return chosen


def _of_path(path: Path) -> dict[str, str]:
    is_file = path.is_file() or (not path.exists() and path.suffix in FILES)
    database = path if is_file else path / "arbiter.db"
    return {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(database)}


def _of_url(text: str) -> dict[str, str]:
    """The environment for a URL. Raises ValueError whose message quotes nothing of the URL: in a
    malformed one any part may be the password."""
    try:
        parts = urlsplit(text)
        port = parts.port or 5432
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True))
    except ValueError:
        raise ValueError(MISUNDERSTOOD) from None
    host = parameters.get("host") or unquote(parts.hostname or "")
    database, user = unquote(parts.path.removeprefix("/")), unquote(parts.username or "")
    unusable = parts.fragment or set("/@") & set(database) or not set(parameters) <= set(PARAMETERS)
    if parts.scheme not in SCHEMES or unusable or not (host and user and database):
        raise ValueError(MISUNDERSTOOD)
    return {
        "PERSISTENCE_MODULE": POSTGRES,
        "POSTGRES_DBNAME": database,
        "POSTGRES_HOST": host,
        "POSTGRES_PORT": str(port),
        "POSTGRES_USER": user,
        "POSTGRES_PASSWORD": unquote(parts.password or ""),
        "POSTGRES_SCHEMA": parameters.get("schema", ""),
    }
