"""Matches that are played by the Python client."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from contextlib import contextmanager
from functools import partial
from threading import Thread

from arbiter_client import Arbiter, Choose, CreatedMatch, Match, Retries
from tests.support.games import SUPPORT, fewest
from tests.support.http import local_http
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Json, Live

AT_ONCE = Retries(first=0.01)
"""Comes back soon after a cut."""

PATIENCE = 60.0


@contextmanager
def arbiter(url: str, key: str | None = None, retries: Retries = AT_ONCE) -> Iterator[Arbiter]:
    """The client that blocks, of a server on this machine."""
    with Arbiter(url, key, retries=retries, http=local_http.client()) as opened:
        yield opened


def by_luck(seed: int = 7) -> Choose:
    """Chooses examples of the menu by luck."""
    luck = random.Random(seed)
    return lambda menu, _: luck.choice(luck.choice(menu.actions).examples)


def started(live: Live, game: str, variant: Mapping[str, object] | None = None) -> CreatedMatch:
    """A short match, which has been started."""
    options: Json = {**SUPPORT[game].short[1], **(variant or {})}
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = organiser.create_match(game, fewest(game), options)
        organiser.match(made.id).start()
    return made


def close_phases(url: str, made: CreatedMatch) -> None:
    """The moderator closes each phase when every seat has sent something and it has not ended by
    that, to the end of the match."""
    with arbiter(url, made.moderator_key) as moderator:
        match = moderator.match(made.id)
        awaited: set[int] = set()
        acted: set[int] = set()
        for event in match.follow():
            if event.type == "match.awaiting-changed.1":
                awaited, acted = set(event.data["seats"]), set()
            if event.type == "match.action-received.1":
                acted.add(event.data["seat"])
            if awaited and awaited <= acted:
                view = match.view()
                if view.seq == event.seq and view.awaiting.seats:
                    match.close_phase(if_match=view)


def played(
    live: Live, made: CreatedMatch, game: str, bots: Sequence[Callable[[], object]]
) -> list[object]:
    """What the bots return, which play all at once until the match is over. Raises what the first
    of them raises."""
    playing = [_in_thread(bot) for bot in bots]
    closing = [_in_thread(partial(close_phases, live.url, made))] if SUPPORT[game].sealed else []
    wait([*playing, *closing], PATIENCE, FIRST_EXCEPTION)
    return [one.result(0) for one in (*closing, *playing)][len(closing) :]


def _in_thread(program: Callable[[], object]) -> Future[object]:
    """What a program will return that runs in a thread, which does not outlive the tests."""
    future: Future[object] = Future()

    def run() -> None:
        try:
            future.set_result(program())
        except BaseException as error:  # noqa: BLE001  the waiting request is answered
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future


def bot_of(
    live: Live, made: CreatedMatch, seat: int, choose: Choose | None = None
) -> Callable[[], Match]:
    """A bot that plays a seat, by luck unless it is told how to choose; it returns its match."""

    def play() -> Match:
        with arbiter(live.url, made.seats[seat].key) as opened:
            match = opened.match(made.id)
            match.bot(choose or by_luck(seat))
            return match

    return play
