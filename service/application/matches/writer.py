"""The writer: a thread that commits, one transaction after another."""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple


class _Job(NamedTuple):
    commit: Callable[[], None]
    done: asyncio.Future[None]


class Writer:
    """Calls blocking functions in its thread, in order. A plain queue and one call back to the loop
    are half of what an executor costs, which is felt where one action waits for the disk."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, commit: Callable[[], None]) -> asyncio.Future[None]:
        """A future that is done when the call has returned, or failed."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
            self._thread.start()
        completion: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(commit, completion))
        return completion

    def close(self) -> None:
        """Waits for everything submitted. Blocks."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            error: BaseException | None = None
            try:
                job.commit()
            except BaseException as raised:  # noqa: BLE001  the waiting task gets it
                error = raised
            loop = job.done.get_loop()
            if not loop.is_closed():
                loop.call_soon_threadsafe(_finish, job.done, error)


def _finish(completion: asyncio.Future[None], error: BaseException | None) -> None:
    if completion.done():
        return
    if error is None:
        completion.set_result(None)
    else:
        completion.set_exception(error)
