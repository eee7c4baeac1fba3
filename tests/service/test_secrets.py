"""No log line holds a secret: no key, no seed, nothing of a hand, whatever fails."""

import base64
import logging
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from typing import Any

import msgspec
import pytest
import structlog
from eventsourcing.persistence import IntegrityError, OperationalError

from domain import randomness
from domain.commands import Start
from domain.games import GAMES
from domain.games.twelve_chips.actions import Play
from service.arbiter import Arbiter
from service.creation import Opened
from service.door.open_match import folded
from service.logs import configure_logs
from service.storage.reading import StoreUnavailable
from tests.service.instance import faulty, on_record, sends, someone_acts, watched

IDEMPOTENCY_KEY = "the-senders-own-key"


@pytest.fixture(params=["console", "json"])
def logged(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[StringIO]:
    """What the service logs, in the form in which it does."""
    # The service's own logger stays as it was first used, which another test may have done.
    monkeypatch.setattr("service.logs._log", structlog.get_logger())
    lines = StringIO()
    configure_logs(request.param)
    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(lines), cache_logger_on_first_use=False
    )
    yield lines
    structlog.reset_defaults()


async def opened(arbiter: Arbiter) -> Opened:
    names, options = ("Ann", "Ben"), {"tokens_to_win": 1}
    made = await arbiter.creation.match(
        "twelve-chips", names, options, "server", "none", "opened_at_end"
    )
    await arbiter.matches.enter(made.id, Start(), "moderator")
    return made


def forms(secret: bytes) -> set[str]:
    """How bytes may look in a line of text."""
    return {
        secret.hex(),
        repr(secret)[2:-1],
        msgspec.json.encode(repr(secret)[2:-1]).decode()[1:-1],
        base64.b64encode(secret).decode(),
        base64.urlsafe_b64encode(secret).decode().rstrip("="),
    }


def secrets_of(arbiter: Arbiter, made: Opened) -> set[str]:
    """Everything of a match that must not be told: its keys, its seed, and what follows from it."""
    hidden = arbiter.dealer.hidden(made.id)
    (kept,) = hidden.seeds
    match = folded(str(made.id), on_record(arbiter, made.id))[1]
    assert match.epoch is not None and match.epoch.transcript is not None
    master = randomness.master(kept.seed, match.epoch.transcript)
    raw = [hidden.log_key, kept.seed, *kept.salts, master]
    keys = [*made.seat_keys, made.moderator_key]
    return {form for secret in raw for form in forms(secret)} | {
        key.rpartition("_")[2] for key in keys
    }


async def test_a_match_with_every_kind_of_failure_logs_no_secret(
    arbiter: Arbiter, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await opened(arbiter)
    for key in (*made.seat_keys, made.moderator_key):
        assert arbiter.keyring.learn(key) is not None
    await fails(arbiter, made, OperationalError("disk full"))
    await fails(arbiter, made, RuntimeError("unforeseen"))
    watched(arbiter).before.append(IntegrityError("another was first"))
    await arbiter.matches.enter(made.id, command(), 0)
    await meets_a_fault(arbiter, monkeypatch)
    while await someone_acts(arbiter, made.id):
        pass

    said = logged.getvalue()
    assert "store_failed" in said and "judging_failed" in said
    for secret in secrets_of(arbiter, made):
        assert secret not in said
    assert IDEMPOTENCY_KEY not in said and "Play(" not in said and "hands=" not in said


def command() -> Any:
    return sends(0, Play(99), IDEMPOTENCY_KEY)


async def fails(arbiter: Arbiter, made: Opened, error: Exception) -> None:
    watched(arbiter).before.append(error)
    with pytest.raises(StoreUnavailable):
        await arbiter.matches.enter(made.id, command(), 0)


async def meets_a_fault(arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game with a bug: the traceback of it is logged."""
    game = GAMES["twelve-chips"]
    with monkeypatch.context() as patch:
        patch.setitem(GAMES, game.id, replace(game, decide=faulty(game.decide, Play)))
        made = await opened(arbiter)
        with pytest.raises(ZeroDivisionError):
            await arbiter.matches.enter(made.id, command(), 0)


def test_the_forms_that_are_looked_for_are_found(logged: StringIO) -> None:
    """The check can fail: a secret that is logged, in any way, is seen."""
    secret = bytes(range(7, 39))
    log = structlog.get_logger()
    for value in (secret, secret.hex(), base64.b64encode(secret).decode()):
        log.log(logging.ERROR, "told", value=value)
        said = logged.getvalue().splitlines()[-1]
        assert any(form in said for form in forms(secret)), said
