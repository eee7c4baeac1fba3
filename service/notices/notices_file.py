"""The file of notices beside that of the embedded store."""

import os

from service.event_store.database import SQLiteDatabase

FILE_END = ".notices"
"""Ending of the name of the file in which the embedded store has them, beside its own."""


class NoticesFile(SQLiteDatabase):
    """The file beside the embedded store that has what belongs in no backup. Only its owner may
    read it."""

    def __init__(self, store: str) -> None:
        path = f"{store}{FILE_END}"
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        super().__init__(path)
        self._db.execute("PRAGMA journal_mode=WAL")
        # A webhook was promised when it was answered, and a deleted one leaves nothing.
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA secure_delete=ON")
