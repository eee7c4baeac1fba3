"""How keys are written and sent, and that they end; what each may do is in `test_roles`."""

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Json, Live, LiveMatch, Player

SIDE: Json = {"type": "choose_side", "side": "heads"}
SMUGGLED = [
    "x",
    "arb",
    "arb_",
    "arb__",
    "arb_org_",
    "arb_mod_",
    "arb_s0",
    "arb_s0_zz_00",
    "a" * 5_000,
    "arb_org_" + "0" * 64,
    ORGANISER_KEY[:-1],
    ORGANISER_KEY + "0",
    ORGANISER_KEY.upper(),
]


def test_a_text_that_is_like_a_key_is_401(live: Live, coins: LiveMatch) -> None:
    before = coins.moderator.view().content
    for key in (*SMUGGLED, coins.keys[0][:-1] + "g", coins.keys[0][:-1], coins.keys[0] + "0"):
        player = Player(live.bearing(key), coins.id)
        for answer in (player.view(), player.act(SIDE), player.try_stream()):
            assert_problem(answer, 401, "key_unknown")
    assert coins.moderator.view().content == before


def test_a_401_names_the_scheme(live: Live) -> None:
    answer = live.anyone.post("/v1/matches", {})
    assert answer.headers["www-authenticate"].split()[0] == "Bearer"


@pytest.mark.parametrize("form", ["bearer {}", "BEARER {}", "Bearer  {}"])
def test_the_scheme_is_read_as_http_says(live: Live, coins: LiveMatch, form: str) -> None:
    header = {"Authorization": form.format(coins.keys[0])}
    answer = live.anyone.get(f"{coins.anyone.path}/view", header)
    assert answer.json()["audience"] == "seat:0"


@pytest.mark.parametrize(
    "form", ["Basic {}", "{}", "Bearer", "Bearer {} {}", "Token {}", "Bearer,{}"]
)
def test_another_scheme_is_401(live: Live, coins: LiveMatch, form: str) -> None:
    header = {"Authorization": form.format(coins.keys[0], coins.keys[0])}
    assert_problem(live.anyone.get(f"{coins.anyone.path}/view", header), 401, "key_unknown")


def test_no_answer_repeats_a_key(live: Live, coins: LiveMatch) -> None:
    for key in ("arb_s0_secret-secret-secret", coins.keys[0][:-1] + "g"):
        player = Player(live.bearing(key), coins.id)
        assert key not in player.view().text
        assert key not in str(player.view().headers)
