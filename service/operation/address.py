"""Where the metrics of a worker are."""


def metrics_address(text: str, worker: int = 0) -> tuple[str, int]:
    """Where a worker's metrics are: `127.0.0.1:9464`, the next worker's at the next port.

    Each is collected by itself, so that memory, lag and a restart are seen of the worker that they
    belong to. Raises ValueError with a sentence for the operator.
    """
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit()):
        raise ValueError(f"ARBITER_METRICS={text}: an address and a port, as 127.0.0.1:9464")
    number = int(port)
    if number + worker > 65_535:
        raise ValueError(f"ARBITER_METRICS={text}: worker {worker} has no port above it")
    return host.removeprefix("[").removesuffix("]"), number + worker if number else 0
