"""Whether the pages of the embedded store are sound, as SQLite itself checks them."""

import sqlite3
from contextlib import closing
from threading import Event, Thread

from service.observability import logs
from service.observability.store_faults import Fault

CHECK_SECONDS = 60.0
"""Time limit for the check. It reads the whole file; a larger one is checked in part, and the log
says so."""


INTERRUPT_SECONDS = 0.01


class DamagedPages(logs.OperatorError):
    """The file has pages that SQLite cannot use."""

    store_fault: Fault = "corrupt"


def check_pages(path: str, seconds: float = CHECK_SECONDS) -> bool:
    """Checks the structure of every table with `PRAGMA quick_check`, and returns whether it came to
    the end in time. Others read and write meanwhile. Blocks.

    Raises DamagedPages, or the errors of SQLite.
    """
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        done = Event()

        def stop_in_time() -> None:
            late = not done.wait(seconds)
            # An interrupt before the statement has begun has no effect.
            while late and not done.wait(INTERRUPT_SECONDS):
                connection.interrupt()

        limit = Thread(target=stop_in_time, daemon=True)
        limit.start()
        try:
            ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            return False
        finally:
            done.set()
            limit.join()
    if found != "ok":
        raise DamagedPages(f"{path}: {found}")
    return True
