"""One server for the tests that compare what it sends."""

from tests.support.servers.live_server import live

__all__ = ["live"]
