"""A store in which one call fails: the one with a chosen number, before it has done anything, or
after it has done everything, so that its answer is lost."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from eventsourcing.persistence import OperationalError

from service.instance import Instance

When = Literal["before", "after"]
WHEN: tuple[When, ...] = ("before", "after")

RECORDERS = (
    "insert_rows",
    "insert_events",
    "select_states",
    "select_rows",
    "select_events",
    "select_grown",
    "select_notifications",
    "max_notification_id",
)


class Calls:
    """Counts calls of the store; call number `fatal`, counted from 1, fails once, unless it is
    `over` by then. `failed` describes that call once it has come."""

    def __init__(self, fatal: int = 0, when: When = "before") -> None:
        self.count = 0
        self.failed: str | None = None
        self.over = False
        self._fatal = fatal
        self._when = when
        self._lock = threading.Lock()
        self._within = threading.local()

    def watch(self, instance: Instance) -> None:
        """From now on all calls of this instance count."""
        store = instance.store
        for name, recorder in (
            ("recorder", store.recorder),
            ("secrets", store.secrets),
            ("keyrings", store.keyrings),
        ):
            for method in RECORDERS:
                if hasattr(recorder, method):
                    self._wrap(recorder, method, f"{name}.{method}")
        database = instance.index._db
        self._wrap(database, "select", "index.select")
        transaction = database.transaction

        @contextmanager
        def counted() -> Iterator[Any]:
            with self._counting("index.transaction"), transaction() as cursor:
                yield cursor

        setattr(database, "transaction", counted)  # noqa: B010  types forbid it otherwise

    def _wrap(self, of: Any, method: str, name: str) -> None:
        do: Callable[..., Any] = getattr(of, method)

        def counted(*args: Any, **more: Any) -> Any:
            with self._counting(name):
                return do(*args, **more)

        setattr(of, method, counted)

    @contextmanager
    def _counting(self, name: str) -> Iterator[None]:
        """One call. The calls that it makes itself are not counted."""
        if getattr(self._within, "call", False):
            yield
            return
        with self._lock:
            self.count += 1
            fatal = self.count == self._fatal and not self.over
        if fatal:
            self.failed = name
        if fatal and self._when == "before":
            raise OperationalError("planted: not done")
        self._within.call = True
        try:
            yield
        finally:
            self._within.call = False
        if fatal:
            raise OperationalError("planted: done, and the answer is lost")
