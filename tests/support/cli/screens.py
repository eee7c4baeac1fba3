"""Screens of the terminal in tests: what stands on them, and a seat that is played at one."""

from textual.pilot import Pilot
from textual.widgets import Static

from service.cli.live_match import LiveMatch
from service.cli.screens.match_app import MatchApp
from service.cli.screens.play_app import PlayApp
from service.cli.screens.watch_app import WatchApp
from tests.support.http.match_play import eager, outcome
from tests.support.servers.live_server import LiveMatch as ServedMatch
from tests.support.waiting import until

MOST_TURNS = 500

MOST_CONFIRMED = 5
"""Actions of a seat that are sent at the screen; what a long match needs beyond them comes from
another device of the same player."""


def playing(url: str, match: ServedMatch, seat: int = 0) -> PlayApp:
    """A screen at which a seat plays the match, over the service at this address."""
    return PlayApp(LiveMatch(f"{url}/v1/matches/{match.id}", match.keys[seat]))


def text_of(app: MatchApp, selector: str) -> str:
    """What a part of the screen says."""
    return str(app.query_one(selector, Static).content)


async def caught_up(app: WatchApp, match: ServedMatch) -> None:
    """Returns when the screen shows all that there is for its audience."""
    await until(lambda: app.failure is not None or app.settled >= 0)
    assert app.shown is not None, app.failure
    last = match.moderator.view(app.shown.audience).json()["seq"]
    await until(lambda: app.failure is not None or app.settled >= last)
    assert app.failure is None, app.failure


async def confirm(pilot: Pilot[None], app: PlayApp) -> None:
    """Sends what is filled in, and waits for the answer."""
    answered = app.answered
    await pilot.press("ctrl+s")
    await until(lambda: len(app.screen_stack) == 2)
    await pilot.press("enter")
    await until(lambda: app.answered > answered)


async def play_seat(pilot: Pilot[None], app: PlayApp, match: ServedMatch, seat: int = 0) -> None:
    """Plays a match to its end: the seat at the screen, by what it offers first, all others over
    HTTP. Phases of several seats are closed by hand."""
    for _ in range(MOST_TURNS):
        seen = match.anyone.view().json()
        if seen["status"] != "running":
            return
        draw = match.moderator.view().json()["awaiting"]["draw"]
        if draw is not None:
            fallen = match.moderator.draw(draw["id"], outcome(draw["parts"]))
            assert fallen.is_success, fallen.text
            continue
        awaited = seen["awaiting"]["seats"]
        for other in awaited:
            menu = match.seats[other].menu().json()
            if not menu["actions"] or menu["submitted"]:
                continue
            if other != seat or app.answered >= MOST_CONFIRMED:
                assert match.seats[other].act(eager(match.seats[other])).is_success
            else:
                await caught_up(app, match)
                await confirm(pilot, app)
        if len(awaited) > 1 and match.anyone.view().json()["seq"] == seen["seq"]:
            assert match.moderator.close_phase().is_success
    raise AssertionError("the match does not end")
