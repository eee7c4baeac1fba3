"""The address of a worker's metrics."""


def metrics_address(text: str, worker: int = 0) -> tuple[str, int]:
    """The address of a worker's metrics: `127.0.0.1:9464` for the first, then the next ports.

    Each worker is collected separately, so that memory, lag and restarts are seen per worker.
    Raises ValueError with a sentence for the operator.
    """
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit()):
        raise ValueError(f"ARBITER_METRICS={text}: an address and a port, as 127.0.0.1:9464")
    number = int(port)
    if number + worker > 65_535:
        raise ValueError(f"ARBITER_METRICS={text}: worker {worker} has no port above it")
    return host.removeprefix("[").removesuffix("]"), number + worker if number else 0
