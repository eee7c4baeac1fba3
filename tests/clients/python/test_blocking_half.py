"""The classes that block are those for an event loop, without waiting."""

from tests.clients.blocking_half import BLOCKING, modules


def test_it_is_up_to_date() -> None:
    kept = {path.name: path.read_text() for path in BLOCKING.glob("*.py")}
    assert kept == dict(modules()), "make blocking-client"
