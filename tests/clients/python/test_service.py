"""What organisers and moderators do by the Python client, and how a real service refuses."""

from typing import Any

import pytest

from arbiter_client import (
    BadRequest,
    Conflict,
    HistoryWentBack,
    NotAllowed,
    NotFound,
    ProblemError,
    Refused,
    Stale,
    Unauthorized,
)
from tests.clients.python.client_matches import arbiter
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live

GAME = "dollar-prize"
HEADS = {"type": "choose_side", "side": "heads"}


def test_games_and_matches_are_listed(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = [organiser.create_match(GAME, ["Lu", "Mo"]).id for _ in range(21)]
        assert GAME in [game.id for game in organiser.games()]
        assert "choose_side" in str(organiser.game(GAME).actions)
        listed = list(organiser.matches(game=GAME, name="Lu"))
    assert [row.id for row in listed] == made[::-1]
    assert {(row.status, row.seats) for row in listed} == {("created", ("Lu", "Mo"))}


def test_a_moderator_enters_draws(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = organiser.create_match(GAME, ["Ann", "Ben"], chance="manual")
        moderator = organiser.match(made.id, made.moderator_key)
        ann = organiser.match(made.id, made.seats[0].key)
        assert moderator.start().view.status == "running"
        assert ann.act(HEADS, if_match=ann.view()).receipt.valid
        draw = moderator.view().awaiting.draw
        assert draw is not None and draw.id == "setup"
        coins = ["heads", "tails", "heads", "heads", "tails"]
        assert moderator.draw("setup", coins).view.awaiting.draw is None
        assert organiser.match(made.id).new_key("moderator", "Eve").key


def test_seats_add_to_chance_and_get_tickets(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = organiser.create_match(GAME, ["Ann", "Ben"])
        ann = organiser.match(made.id, made.seats[0].key)
        assert ann.seed("31 dice at home").receipt.valid
        assert ann.ticket().ticket != ann.ticket("public").ticket


def test_invitations_give_keys_that_the_organiser_does_not_have(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser, arbiter(live.url) as guest:
        made = organiser.create_match(GAME, ["Ann", "Ben"], keys="invitations")
        assert made.seats[1].key is None
        link = organiser.match(made.id).invite(1, expires_in=60).link
        assert link is not None
        accepted = guest.accept(link)
        assert (accepted.match, accepted.seat, accepted.name) == (made.id, 1, "Ben")
        assert guest.match(made.id, accepted.key).view().audience == "seat:1"


def test_refusals_are_exceptions_that_say_what_would_be_right(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = organiser.create_match(GAME, ["Ann", "Ben"])
        ann = organiser.match(made.id, made.seats[0].key)
        with pytest.raises(Conflict) as early:
            ann.act(HEADS)
        assert early.value.problem.match_status == "created"
        before = ann.view()
        organiser.match(made.id).start()
        with pytest.raises(Stale):
            ann.act(HEADS, if_match=before)
        with pytest.raises(BadRequest) as misspelt:
            ann.act(HEADS | {"side": "Heads"})
        assert [(e.pointer, e.did_you_mean) for e in misspelt.value.errors] == [("/side", "heads")]
        with pytest.raises(Refused) as refused:
            ann.act({"type": "end_turn"})
        assert refused.value.problem.receipt == ann.receipts[0]
        with pytest.raises(NotAllowed):
            ann.view(as_="moderator")
        with pytest.raises(Unauthorized):
            organiser.match(made.id, "arb_s0_nobody").menu()
        with pytest.raises(NotFound):
            organiser.game("chess")


def test_the_same_key_counts_once(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = organiser.create_match(GAME, ["Ann", "Ben"])
        organiser.match(made.id).start()
        ann = organiser.match(made.id, made.seats[0].key)
        first = ann.act(HEADS, key="once")
        assert ann.act(HEADS, key="once").receipt == first.receipt
        with ann.play(after=first.view) as play:
            assert play.act(HEADS, key="once").receipt == first.receipt
            with pytest.raises(Refused):
                play.act(HEADS)
            refused = next(iter(play))
    assert refused.seq == first.view.seq + 1
    assert len(ann.receipts) == 4


def test_a_player_whose_key_ends_is_told_so(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = organiser.create_match(GAME, ["Ann", "Ben"])
        organiser.match(made.id).start()
        given = organiser.match(made.id).new_key("seat:0", "Ann")
        ann = organiser.match(made.id, given.key)
        with ann.play(after=ann.view()) as play:
            play.act(HEADS)
            path = f"/v1/matches/{made.id}/keys/{given.id}"
            assert live.organiser.send("DELETE", path).status_code == 204
            with pytest.raises(Unauthorized):
                list(play)


def test_events_that_are_not_there_are_a_history_that_went_back(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = organiser.create_match(GAME, ["Ann", "Ben"])
        with pytest.raises(HistoryWentBack):
            next(organiser.match(made.id).follow(after=99))
        ann = organiser.match(made.id, made.seats[0].key)
        with pytest.raises(ProblemError):
            ann.view(at=99)


def test_a_tournament_has_staff_whose_keys_are_replaced_and_removed(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = organiser.create_tournament("Cup", ["Ann", "Ben"], ["Mo"])
        cup = organiser.tournament(made["id"])
        zoe = cup.appoint_organiser("Zoe")
        assert cup.organisers()["organisers"] == [{"organiser": 0, "name": "Zoe"}]
        key = cup.new_key("organisers", zoe["organiser"])["key"]
        match = organiser.create_match(GAME, ["Ann", "Ben"], tournament=cup.id)
        organiser.tournament(cup.id, key).assign(match.id, 0)
        cup.take(match.id, 0)
        cup.remove("moderators", 0)
        assert cup.view()["moderators"] == []
        with pytest.raises(Conflict, match="not_started_by_players"):
            organiser.match(match.id, match.seats[0].key).ready()


def test_players_of_a_tournament_enter_by_a_list_and_by_themselves(live: Live) -> None:
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        made = organiser.create_tournament("Cup")
        cup = organiser.tournament(made["id"])
        rows: list[dict[str, Any]] = [
            {"name": "Ann", "rating": 1800},
            {"name": 'Ben "B", jr.', "external_id": "7"},
        ]
        assert [one["player"] for one in cup.enter_all(rows)] == [0, 1]
        assert [one["name"] for one in cup.enter_all(b"name\nCy\n")] == ["Cy"]
        with pytest.raises(ProblemError, match="wrong_shape"):
            cup.enter_all([{"name": "Di", "rating": "high"}])
        assert [one["external_id"] for one in cup.roster()] == [None, "7", None]
        link = cup.open_registration(limit=4, waiting_list=True)
        token = link.partition("#register-")[2]
    with arbiter(live.url) as anyone:
        there = anyone.tournament(cup.id)
        entered = there.register("Ed", token, "drawn-at-random-1")
        assert (entered["player"], entered["key"][:6]) == (3, "arb_p3")
        assert there.register("Flo", token, "drawn-at-random-2") == {"waiting": 1}
    with arbiter(live.url, ORGANISER_KEY) as organiser:
        organiser.tournament(cup.id).close_registration()
