"""The steps of a request: each time that an instance turns to its store for it, to read or write.

Between two steps another instance may do anything. A step is before a transaction or a statement
outside of one; within a transaction of the embedded store nobody else writes.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any

import pytest
from eventsourcing.sqlite import SQLiteDatastore
from litestar.types import ASGIApp, Receive, Scope, Send

from service.application.matches.writer import Writer
from service.event_store.database import SQLiteDatabase
from service.event_store.store import Store
from service.event_store.store_threads import StoreThreads

READ, WRITE = "read", "write"


class Steps:
    """The steps of the request under an idempotency key. Before number `at`, from 0, `happens` is
    called, in whatever thread that step is."""

    def __init__(self, store: Store, key: str, at: int | None, happens: Callable[[], None]) -> None:
        self.names: list[str] = []
        self.fault: BaseException | None = None
        self._store, self._key, self._at, self._happens = store, key.encode(), at, happens
        self._begun = self._over = False
        self._lock, self._finished = threading.Lock(), threading.Event()
        self._finished.set()

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Counts inside the context the steps of the first such request to the instance."""
        _expected[self._key] = _writing[self._store] = self
        try:
            yield
        finally:
            del _expected[self._key], _writing[self._store]
            with self._lock:
                self._over = True
            # A step of the leader may have been taken for one of the request.
            self._finished.wait()
        if self.fault is not None:
            raise self.fault

    def begin(self) -> bool:
        """Whether this is the first such request."""
        begun, self._begun = self._begun, True
        return not begun

    def step(self, name: str) -> None:
        """Notes a step."""
        with self._lock:
            if self._over or not self._begun:
                return
            self.names.append(name)
            if len(self.names) - 1 != self._at:
                return
            self._finished.clear()
        try:
            self._happens()
        except BaseException as fault:  # noqa: BLE001  the test gets it, not the service
            self.fault = fault
        finally:
            self._finished.set()


_expected: dict[bytes, Steps] = {}
_writing: dict[Store, Steps] = {}
_current: ContextVar[Steps | None] = ContextVar("steps", default=None)
_inside: ContextVar[bool] = ContextVar("inside a transaction", default=False)


def noticing(app: ASGIApp) -> ASGIApp:
    """The application, of which requests are counted."""

    async def noticed(scope: Scope, receive: Receive, send: Send) -> None:
        key = dict(scope.get("headers") or ()).get(b"idempotency-key", b"")
        steps = _expected.get(key)
        if steps is not None and steps.begin():
            _current.set(steps)
        await app(scope, receive, send)

    return noticed


def _note(name: str, steps: Steps | None = None) -> None:
    steps = steps or _current.get()
    if steps is not None and not _inside.get():
        steps.step(name)


@contextmanager
def noting_steps() -> Iterator[None]:
    """Notes inside the context what every embedded store is asked, and for which request: also in
    the threads in which it is asked."""
    with pytest.MonkeyPatch.context() as patch:
        _follow_into_threads(patch)
        transaction, locked = SQLiteDatastore.transaction, SQLiteDatabase._locked_transaction
        select, append = SQLiteDatabase.select, Store.append

        def of_recorder(self: SQLiteDatastore, *, commit: bool) -> Any:
            return _within(WRITE if commit else READ, lambda: transaction(self, commit=commit))

        def of_database(self: SQLiteDatabase, begin: str) -> Any:
            return _within(WRITE if begin != "BEGIN" else READ, lambda: locked(self, begin))

        def selecting(self: SQLiteDatabase, *args: Any) -> Any:
            _note(READ)
            return select(self, *args)

        def appending(self: Store, *args: Any) -> None:
            _note(WRITE, _writing.get(self))
            append(self, *args)

        patch.setattr(SQLiteDatastore, "transaction", of_recorder)
        patch.setattr(SQLiteDatabase, "_locked_transaction", of_database)
        patch.setattr(SQLiteDatabase, "select", selecting)
        patch.setattr(Store, "append", appending)
        yield


def _follow_into_threads(patch: pytest.MonkeyPatch) -> None:
    for owner in (StoreThreads, Writer):
        submit = owner.submit

        def submitted(self: Any, call: Any, *args: Any, _submit: Any = submit, **more: Any) -> Any:
            return _submit(self, partial(copy_context().run, call, *args, **more))

        patch.setattr(owner, "submit", submitted)


@contextmanager
def _within(name: str, begin: Callable[[], AbstractContextManager[Any]]) -> Iterator[Any]:
    _note(name)
    outer = _inside.set(True)
    try:
        with begin() as cursor:
            yield cursor
    finally:
        _inside.reset(outer)
