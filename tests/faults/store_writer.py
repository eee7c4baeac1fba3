"""A process that writes to an embedded store: `python -m tests.faults.store_writer DATABASE ANSWERS
LENGTH`. For each command that was answered it writes a line into the file of answers: the match,
and the length of its record."""

import asyncio
import os
import sys
from pathlib import Path
from unittest.mock import patch

from service.event_store import sqlite
from service.event_store.sqlite.lost_commits import mark_end
from service.instance import Instance
from tests.support.instance.service_instance import created, settings, tried
from tests.support.tables.directing import START

CHECKPOINT_PAGES = 60
"""So small that the write-ahead log is copied into the database again and again."""

MATCHES = 3


async def main(database: Path, answers: int, length: int) -> None:
    """Creates matches and plays them until so many commands were answered; then it is killed."""
    begun, left = Instance(settings(database)), length
    mark_end(database, begun.store.keyrings)
    begun.store.close()
    instance = Instance(settings(database))

    def answered(match: object, end: int) -> None:
        os.write(answers, f"{match} {end}\n".encode())

    async def plays() -> None:
        nonlocal left
        while left > 0:
            match = await created(instance, "twelve-chips")
            begun = await instance.matches.execute(match, START, "moderator")
            answered(match, begun.result.end)
            while left > 0 and (response := await tried(instance, match)) is not None:
                left -= 1
                answered(match, response.result.end)

    async with instance.running():
        await asyncio.gather(*(plays() for _ in range(MATCHES)))
        os._exit(0)  # As if it were killed: nothing is closed.


if __name__ == "__main__":
    with patch.object(sqlite, "CHECKPOINT_PAGES", CHECKPOINT_PAGES):
        written = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        asyncio.run(main(Path(sys.argv[1]), written, int(sys.argv[3])))
