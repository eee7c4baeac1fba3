"""One server for all tests of the clients."""

from tests.support.servers.live_server import live

__all__ = ["live"]
