"""Who may connect to the database: by PostgreSQL's default everybody who has an account."""

from collections.abc import Mapping
from contextlib import closing

from service.event_store.store import Store

_FIND = (
    "SELECT quote_ident(datname), has_database_privilege('public', datname, 'CONNECT'),"
    " pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()"
)


def close_to_public(store_env: Mapping[str, str]) -> str | None:
    """Takes CONNECT to the PostgreSQL database of a store from PUBLIC, if that is ours to take.
    Returns a sentence for the operator; None if PUBLIC has it no more. Blocks."""
    with closing(Store({**store_env, "CREATE_TABLE": "no"})) as store:
        database = store.open_database()
        ((name, is_open, is_ours),) = database.select(_FIND)
        revoke = f"REVOKE CONNECT ON DATABASE {name} FROM PUBLIC"
        if not is_open:
            return None
        if not is_ours:
            return f"Anybody with an account may connect: let the owner run {revoke}"
        with database.transaction() as cursor:
            cursor.execute(revoke)
    return f"CONNECT is PUBLIC's no more; a role of workers needs GRANT CONNECT ON DATABASE {name}"
