"""What `arbiter migrate` does."""

from collections.abc import Mapping
from contextlib import closing

from eventsourcing.utils import strtobool

from service.storage.index import open_index
from service.storage.snapshots import open_snapshots
from service.storage.store import Store


def may_migrate(env: Mapping[str, str]) -> bool:
    """Whether whoever serves may make tables: unless the operator has said `CREATE_TABLE=no`."""
    return strtobool(env.get("CREATE_TABLE") or "yes")


def migrate(env: Mapping[str, str]) -> None:
    """Makes whatever the store, the index and the snapshots lack, and renews what an older release
    has made.

    Twice does no harm, and where several do it at once, one goes after the other. Afterwards an
    instance may run under `CREATE_TABLE=no` and a role that can read and write only.
    """
    may = {**env, "CREATE_TABLE": "yes"}
    with (
        closing(Store(may)) as store,
        closing(open_index(may, store.recorder)),
        closing(open_snapshots(may, store.recorder, b"")),
    ):
        pass
