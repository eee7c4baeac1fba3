"""Clients of servers on this machine, without the costs that httpx has for others."""

from typing import Any

import httpx

from arbiter_client.asynchronous.connections import SeparateConnections
from arbiter_client.transport import NO_CERTIFICATES

PLAIN = NO_CERTIFICATES
"""No certificates are needed here."""


def client(url: str = "", **more: Any) -> httpx.Client:
    """A client of the server at `url`, which ignores the proxies of the environment."""
    return httpx.Client(base_url=url, trust_env=False, verify=PLAIN, **more)


def async_client(url: str, **more: Any) -> httpx.AsyncClient:
    """A client for many requests at once of the server at `url`."""
    return httpx.AsyncClient(base_url=url, trust_env=False, transport=SeparateConnections(), **more)


def streaming_client(url: str, **more: Any) -> httpx.AsyncClient:
    """A client for many open streams of the server at `url`."""
    limits = httpx.Limits(max_connections=None)
    return httpx.AsyncClient(base_url=url, trust_env=False, verify=PLAIN, limits=limits, **more)


def get(url: str) -> httpx.Response:
    """The response to one request on a connection of its own."""
    return httpx.get(url, trust_env=False, verify=PLAIN)
