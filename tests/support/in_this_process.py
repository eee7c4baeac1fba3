"""A pool of processes that needs none, for tests of what is done in a pool."""

import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class InThisProcess(Executor):
    """Does each piece of work at once, where it is submitted. Processes of a pool ignore
    interrupts; afterwards this one does not."""

    def __init__(
        self,
        *_: object,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        self._interrupted = signal.getsignal(signal.SIGINT)
        if initializer is not None:
            initializer(*initargs)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The result of the call, which is finished."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it belongs to who asks for the result
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Nothing is under way."""
        signal.signal(signal.SIGINT, self._interrupted)
