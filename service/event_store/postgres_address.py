"""The address of a PostgreSQL store."""

from collections.abc import Mapping

from msgspec import Struct
from psycopg.conninfo import make_conninfo

CLIENT_ENCODING = "UTF8"
"""Set on every connection: else the environment, the role or the database decides."""


class PostgresAddress(Struct, frozen=True):
    """The connection string of the database, as libpq reads it, and the schema of the log."""

    connect: str
    schema: str


def postgres_address(env: Mapping[str, str]) -> PostgresAddress:
    """The address from the library's own settings."""
    names = {
        "dbname": "POSTGRES_DBNAME", "host": "POSTGRES_HOST", "port": "POSTGRES_PORT",
        "user": "POSTGRES_USER", "password": "POSTGRES_PASSWORD",
    }  # fmt: skip
    given = {name: env[variable] for name, variable in names.items() if env.get(variable)}
    connect = make_conninfo(**given, client_encoding=CLIENT_ENCODING)
    return PostgresAddress(connect, env.get("POSTGRES_SCHEMA") or "public")
