"""No log line contains a secret: no key, no seed, nothing of a hand, whatever fails."""

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

from domain.chance import generator
from domain.games import GAMES
from domain.games.twelve_chips.actions import Play
from domain.match.replay import replay
from service.application.matches.creation import MatchWithKeys, NewMatch
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.captured_logs import logs_in
from tests.support.instance.service_instance import faulty, on_record, sends, someone_acts, watched
from tests.support.tables.directing import START

IDEMPOTENCY_KEY = "the-senders-own-key"


@pytest.fixture(params=["console", "json"])
def logged(request: pytest.FixtureRequest) -> Iterator[StringIO]:
    with logs_in(request.param) as lines:
        yield lines


async def opened(instance: Instance) -> MatchWithKeys:
    names, options = ("Ann", "Ben"), {"tokens_to_win": 1}
    made = await instance.creation.match(
        NewMatch("twelve-chips", names, options, "server", "none", "opened_at_end")
    )
    await instance.matches.execute(made.id, START, "moderator")
    return made


def forms(secret: bytes) -> set[str]:
    """The forms in which bytes may appear in a line of text."""
    return {
        secret.hex(),
        repr(secret)[2:-1],
        msgspec.json.encode(repr(secret)[2:-1]).decode()[1:-1],
        base64.b64encode(secret).decode(),
        base64.urlsafe_b64encode(secret).decode().rstrip("="),
    }


def secrets_of(instance: Instance, made: MatchWithKeys) -> set[str]:
    """All secrets of a match: its keys, its seed, and what is derived from them."""
    hidden = instance.secret_store.read(made.id)
    (kept,) = hidden.seeds
    match = replay(str(made.id), on_record(instance, made.id))[1]
    assert match.epoch is not None and match.epoch.transcript is not None
    master = generator.master(kept.seed, match.epoch.transcript)
    raw = [hidden.log_key, kept.seed, *kept.salts, master]
    keys = [*made.seat_keys, made.moderator_key]
    return {form for secret in raw for form in forms(secret)} | {
        key.rpartition("_")[2] for key in keys
    }


async def test_a_match_with_every_kind_of_failure_logs_no_secret(
    instance: Instance, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await opened(instance)
    for key in (*made.seat_keys, made.moderator_key):
        assert instance.keyring.load(key) is not None
    await fails(instance, made, OperationalError("disk full"))
    await fails(instance, made, RuntimeError("unforeseen"))
    watched(instance).before.append(IntegrityError("another was first"))
    await instance.matches.execute(made.id, command(), 0)
    await meets_a_fault(instance, monkeypatch)
    while await someone_acts(instance, made.id):
        pass

    said = logged.getvalue()
    assert "store_failed" in said and "judging_failed" in said
    for secret in secrets_of(instance, made):
        assert secret not in said
    assert IDEMPOTENCY_KEY not in said and "Play(" not in said and "hands=" not in said


def command() -> Any:
    return sends(0, Play(99), IDEMPOTENCY_KEY)


async def fails(instance: Instance, made: MatchWithKeys, error: Exception) -> None:
    watched(instance).before.append(error)
    with pytest.raises(StoreUnavailable):
        await instance.matches.execute(made.id, command(), 0)


async def meets_a_fault(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game with a bug, whose traceback is logged."""
    game = GAMES["twelve-chips"]
    with monkeypatch.context() as patch:
        patch.setitem(GAMES, game.id, replace(game, decide=faulty(game.decide, Play)))
        made = await opened(instance)
        with pytest.raises(ZeroDivisionError):
            await instance.matches.execute(made.id, command(), 0)


def test_the_searched_forms_are_found(logged: StringIO) -> None:
    """The check works: a secret that is logged in any form is found."""
    secret = bytes(range(7, 39))
    log = structlog.get_logger()
    for value in (secret, secret.hex(), base64.b64encode(secret).decode()):
        log.log(logging.ERROR, "a_value", value=value)
        said = logged.getvalue().splitlines()[-1]
        assert any(form in said for form in forms(secret)), said
