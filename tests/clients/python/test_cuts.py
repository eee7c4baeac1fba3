"""Connections are cut, and the Python client loses nothing and does nothing twice."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

import pytest

from arbiter_client import Action, AsyncArbiter, CreatedMatch, Event, Menu, Receipt, Result, View
from tests.clients.python.client_matches import AT_ONCE, arbiter, bot_of, by_luck, played, started
from tests.support.http import local_http
from tests.support.servers.cutting_relay import cutting
from tests.support.servers.live_server import Live

GAME = "twelve-chips"
OPTIONS = {"tokens_to_win": 2}

HEADS = 0, 40, 300
"""Bytes after which an answer is cut in its head."""

STREAMS = (*HEADS, 600, 700, 701, 900, 1_001, 1_200, 1_500)
"""Bytes after which ten streams are cut: in the head, in a line, after many."""

ANSWERS = (*HEADS, 600, 900)
"""The same for the answers to actions."""


class Heard(NamedTuple):
    """What a bot was told and has done, and where the view stood at which it began."""

    result: Result | None
    events: list[Event]
    receipts: list[Receipt]
    began: int


def blocking(url: str, made: CreatedMatch) -> Heard:
    """A bot for the first seat, by the classes that block."""
    events: list[Event] = []
    with arbiter(url, made.seats[0].key) as opened:
        match = opened.match(made.id)
        began = match.view().seq
        result = match.bot(by_luck(), events.append)
        return Heard(result, events, match.receipts, began)


def asynchronous(url: str, made: CreatedMatch) -> Heard:
    """The same by the classes for an event loop."""

    luck = by_luck()

    async def choose(menu: Menu, view: View) -> Action:
        return luck(menu, view)

    async def play() -> Heard:
        events: list[Event] = []
        http = local_http.streaming_client("")
        async with AsyncArbiter(url, made.seats[0].key, retries=AT_ONCE, http=http) as opened:
            match = opened.match(made.id)
            began = (await match.view()).seq
            result = await match.bot(choose, events.append)
            return Heard(result, events, match.receipts, began)

    return asyncio.run(play())


KINDS = pytest.mark.parametrize("bot", [blocking, asynchronous])
Bot = Callable[[str, CreatedMatch], Heard]


def check(heard: Heard) -> None:
    """Each event came once, and each action counts once."""
    assert heard.result is not None
    numbers = [event.seq for event in heard.events]
    assert numbers == list(range(heard.began + 1, heard.began + len(numbers) + 1))
    assert heard.events[-1].type in ("match.ended.1", "match.seed-revealed.1")
    received = [e for e in heard.events if e.type == "match.action-received.1"]
    assert [e.data["key"] for e in received] == [r.idempotency_key for r in heard.receipts]


def heard_through(live: Live, bot: Bot, url: str, made: CreatedMatch) -> Heard:
    """What the bot has heard that plays the first seat through a relay."""
    results = played(live, made, GAME, [lambda: bot(url, made), bot_of(live, made, 1)])
    heard = results[0]
    assert isinstance(heard, Heard)
    return heard


@KINDS
def test_a_bot_plays_on_when_streams_and_answers_are_cut(live: Live, bot: Bot) -> None:
    made = started(live, GAME, OPTIONS)
    limits = {"/stream": STREAMS, "POST .*/actions": ANSWERS}
    with cutting(live, limits) as relay:
        check(heard_through(live, bot, relay.url, made))
    assert relay.cuts == len(STREAMS) + len(ANSWERS)


@pytest.mark.parametrize("blocks", [True, False])
def test_a_watcher_sees_each_event_once_over_streams_that_are_cut_ten_times(
    live: Live, blocks: bool
) -> None:
    made = started(live, GAME, OPTIONS)

    def watch() -> list[Event]:
        with arbiter(relay.url) as anyone:
            return list(anyone.match(made.id).follow())

    async def watch_async() -> list[Event]:
        http = local_http.streaming_client("")
        async with AsyncArbiter(relay.url, retries=AT_ONCE, http=http) as anyone:
            return [event async for event in anyone.match(made.id).follow()]

    watching = watch if blocks else (lambda: asyncio.run(watch_async()))
    with cutting(live, {"/stream": STREAMS}) as relay:
        bots = [bot_of(live, made, 0), bot_of(live, made, 1)]
        *_, seen = played(live, made, GAME, [*bots, watching])
    assert isinstance(seen, list)
    assert relay.cuts == 10
    with arbiter(live.url) as anyone:
        end = anyone.match(made.id).view().seq
    assert [event.seq for event in seen] == list(range(1, end + 1))
