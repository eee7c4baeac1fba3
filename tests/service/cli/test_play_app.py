"""`arbiter play`: every game is played at a screen, by the menu and the keyboard alone."""

from collections.abc import Iterator

import pytest
from textual.widgets import Input, Select

from domain.games import GAMES
from service.cli.screens.questions import Confirmation
from tests.support.browser.cutting_proxy import cutting_proxy
from tests.support.cli.screens import caught_up, confirm, play_seat, playing, text_of
from tests.support.games import SUPPORT, fewest
from tests.support.http.together_client import camp, close
from tests.support.servers.live_server import Live, serving
from tests.support.waiting import until

SIZES = {"liars-dice": (40, 30), "together": (140, 40)}
USUAL = (80, 24)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("played")) as server:
        yield server


@pytest.mark.parametrize("game", GAMES)
async def test_every_game_is_played_to_its_end(live: Live, game: str) -> None:
    _, options = SUPPORT[game].short
    match = live.started(game, fewest(game), options=options, chance="manual")
    app = playing(live.url, match)
    async with app.run_test(size=SIZES.get(game, USUAL)) as pilot:
        await play_seat(pilot, app, match)
        await until(lambda: app.over)
        await caught_up(app, match)
        assert app.answered
        assert text_of(app, "#waiting").startswith(("Won by", "Shared by"))
        assert text_of(app, "#prompt") == "There is nothing for you to do now."


async def test_a_value_is_chosen_and_sent_with_the_keyboard(live: Live) -> None:
    match = live.started("dollar-prize", chance="manual")
    app = playing(live.url, match)
    async with app.run_test(size=USUAL) as pilot:
        await caught_up(app, match)
        assert text_of(app, "#draft") == "Draft  Choose side: Side heads"
        assert isinstance(app.focused, Select)
        await pilot.press("enter", "down", "enter")
        await until(lambda: text_of(app, "#draft") == "Draft  Choose side: Side tails")
        await confirm(pilot, app)
        assert text_of(app, "#answer").startswith("On record as your number ")
        assert match.anyone.view().json()["view"]["sides"] == ["tails", "heads"]


async def test_what_does_not_fit_is_said_and_not_sent(live: Live) -> None:
    match = camp(live)
    app = playing(live.url, match)
    async with app.run_test(size=USUAL) as pilot:
        await caught_up(app, match)
        first = app.query(Input).first()
        first.focus()
        first.value = "7"
        await until(lambda: "Type A votes: " in text_of(app, "#draft"))
        await pilot.press("enter")
        assert text_of(app, "#answer").startswith("Not sent. Type A votes: 1 to ")
        assert not isinstance(app.screen, Confirmation)
        assert match.seats[0].menu().json()["submitted"] is False


async def test_escape_sends_nothing(live: Live) -> None:
    match = live.started("dollar-prize", chance="manual")
    app = playing(live.url, match)
    async with app.run_test(size=USUAL) as pilot:
        await caught_up(app, match)
        await pilot.press("ctrl+s")
        await until(lambda: isinstance(app.screen, Confirmation))
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, Confirmation))
        assert match.seats[0].menu().json()["actions"]


async def test_a_sealed_submission_says_what_counts_now(live: Live) -> None:
    match = camp(live)
    app = playing(live.url, match)
    async with app.run_test(size=USUAL) as pilot:
        await caught_up(app, match)
        assert text_of(app, "#prompt") == "You are awaited."
        await confirm(pilot, app)
        counts = "Submit: Type A votes 0; Pay garnet no; Round 1."
        first = f"What counts now  {counts} You may replace it."
        assert text_of(app, "#prompt") == first
        app.query(Input).first().value = "0 1"
        app.query(Input).last().value = "2 3 2"
        await until(lambda: "2 3 2" in text_of(app, "#draft"))
        await confirm(pilot, app)
        assert "but it does not count: " in text_of(app, "#answer")
        assert text_of(app, "#prompt") == first
        close(match)
        await caught_up(app, match)
        assert "What counts now" not in text_of(app, "#prompt")


async def test_nothing_is_sent_on_old_news(live: Live) -> None:
    match = live.started("twelve-chips")
    seat = match.anyone.view().json()["awaiting"]["seats"][0]
    app = playing(live.url, match, seat)
    async with app.run_test(size=USUAL) as pilot:
        await caught_up(app, match)
        await pilot.press("ctrl+s")
        await until(lambda: isinstance(app.screen, Confirmation))
        other = match.seats[seat]
        assert other.act(other.menu().json()["actions"][0]["examples"][0]).is_success
        await pilot.press("enter")
        await until(lambda: app.answered > 0)
        assert text_of(app, "#answer").startswith("Not sent: something has happened since.")


async def test_over_a_cut_connection_an_action_counts_once(live: Live) -> None:
    match = live.started("dollar-prize", chance="manual")
    async with cutting_proxy(live.port) as proxy:
        app = playing(proxy.url, match)
        async with app.run_test(size=USUAL) as pilot:
            await caught_up(app, match)
            await pilot.press("ctrl+s")
            await until(lambda: isinstance(app.screen, Confirmation))
            proxy.cut()
            await pilot.press("enter")
            await until(lambda: app.answered > 0)
            await caught_up(app, match)
            assert text_of(app, "#answer").startswith("On record as your number ")
    sent = [e for e in match.moderator.events("moderator", 0, 1000).json()["events"]
            if e["type"] == "match.action-received.1"]  # fmt: skip
    assert len(sent) == 1
