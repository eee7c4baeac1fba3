"""`GET /v1/matches/{id}/play`: a seat acts and follows its match on one WebSocket."""

from contextlib import ExitStack
from itertools import count
from random import Random

import pytest
from websockets.exceptions import InvalidStatus

from domain.games import GAMES
from service.cli.bots import BOTS
from tests.support.games import fewest
from tests.support.http.match_play import all_events, assert_problem, eager, play_out
from tests.support.http.play_socket import PlaySocket, playing
from tests.support.http.stream_tickets import play_ticket, request_ticket, ticket
from tests.support.servers.live_server import Json, Live, LiveMatch, Player

SHORT = {"twelve-chips": {"tokens_to_win": 1}}
CHIP = {"type": "play", "chip": 12}


@pytest.fixture
def short(live: Live) -> LiveMatch:
    """12 Chips to one token: over after one round."""
    return live.started("twelve-chips", options={"tokens_to_win": 1})


def first(match: LiveMatch) -> tuple[Player, Json]:
    """The seat that is to act, and an action of its menu."""
    seat = match.moderator.view().json()["awaiting"]["seats"][0]
    return match.seats[seat], eager(match.seats[seat])


def refused(player: Player, status: int, code: str, **how: object) -> None:
    """The handshake is answered with this problem document instead of 101."""
    with pytest.raises(InvalidStatus) as error, playing(player, **how):  # type: ignore[arg-type]
        pass
    answer = error.value.response
    assert answer.status_code == status
    assert f'"code":"{code}"'.encode() in answer.body


def played_by_sockets(match: LiveMatch, sockets: list[PlaySocket], game: str) -> None:
    """Lets the game's bots play a match to its end; every action goes over the socket of its seat.
    A sealed phase in which all have acted is closed."""
    rng = Random(1)
    seen = match.anyone.view().json()
    while seen["status"] == "running":
        for seat in seen["awaiting"]["seats"]:
            player = match.seats[seat]
            if entries := player.menu().json()["actions"]:
                action = BOTS[game](player.view().json()["view"], entries, seat, rng)
                answer = sockets[seat].act(action)
                assert answer["status"] == 201, answer
                assert sockets[seat].lines[-1]["seq"] >= answer["body"]["view"]["seq"]
        after = match.anyone.view().json()
        if after["seq"] == seen["seq"]:
            match.moderator.close_phase()
            after = match.anyone.view().json()
        seen = after


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_played_over_it_to_its_end(live: Live, game: str) -> None:
    match = live.started(game, fewest(game), options=SHORT.get(game, {}))
    with ExitStack() as stack:
        sockets = [stack.enter_context(playing(seat, after=0)) for seat in match.seats]
        played_by_sockets(match, sockets, game)
        for seat, socket in zip(match.seats, sockets, strict=True):
            assert socket.closed() == 1000
            assert socket.lines == all_events(seat), "each line once, and all of them"
            assert socket.end == len(socket.lines)


def test_an_answer_is_that_of_the_action_over_http(live: Live) -> None:
    worlds = live.started("dollar-prize"), live.started("dollar-prize")
    action = {"type": "choose_side", "side": "heads"}
    over_http = worlds[0].seats[0].act(action, {"Idempotency-Key": "k1"})
    with playing(worlds[1].seats[0]) as socket:
        answer = socket.act(action)
    assert (answer["answer"], answer["status"]) == ("k1", over_http.status_code)
    assert answer["body"]["view"] == worlds[1].seats[0].view().json()
    assert list(answer["body"]["receipt"]) == list(over_http.json()["receipt"])
    assert answer["body"]["receipt"]["idempotency_key"] == "k1"


def test_the_lines_up_to_its_view_come_before_an_answer(short: LiveMatch) -> None:
    player, action = first(short)
    with playing(player) as socket:
        answer = socket.act(action)
        assert socket.lines[-1]["seq"] == answer["body"]["view"]["seq"]


def test_actions_are_answered_in_order(short: LiveMatch) -> None:
    player, action = first(short)
    with playing(player) as socket:
        sent = [socket.send(one) for one in (action, {"type": "fly"}, action, CHIP)]
        answers: list[str] = []
        while len(answers) < len(sent):
            message = socket.take()
            if "answer" in message:
                answers.append(message["answer"])
    assert answers == sent


def test_a_repeat_after_a_cut_is_the_first_answer_again(short: LiveMatch) -> None:
    player, action = first(short)
    with playing(player, after=0) as socket:
        socket.send(action, "mine")
        socket.connection.close_timeout = 0
    with playing(player, after=0) as again:
        answer = again.act(action, "mine")
        assert answer["status"] in (200, 201), "the first may have been cut off before it arrived"
        other = again.act({**action, "chip": 1}, "mine")
        assert (other["status"], other["body"]["code"]) == (422, "idempotency_key_reused")
        assert again.act(action, "mine")["body"] == answer["body"]
        assert again.act(action, "mine")["status"] == 200
    assert player.act(action, {"Idempotency-Key": "mine"}).json() == answer["body"], "over HTTP too"


def test_each_line_comes_once_across_ten_cuts(live: Live) -> None:
    match = live.started("twelve-chips", options={"tokens_to_win": 1})
    lines: list[Json] = []
    for _ in count():
        with playing(match.seats[0], after=len(lines)) as socket:
            if match.moderator.view().json()["status"] == "running":
                player, action = first(match)
                assert player.act(action).status_code == 201
                socket.follow_to(len(all_events(match.seats[0])))
            else:
                assert socket.closed() == 1000
                lines += socket.lines
                break
            lines += socket.lines
    assert lines == all_events(match.seats[0])


def test_without_after_it_begins_from_now(short: LiveMatch) -> None:
    player, action = first(short)
    seen = player.view().json()["seq"]
    with playing(player) as socket:
        socket.act(action)
        assert socket.lines[0]["seq"] == seen + 1


def test_if_match_is_that_of_an_action(short: LiveMatch) -> None:
    player, action = first(short)
    with playing(player) as socket:
        stale = socket.act(action, if_match=f'"seat:{short.seats.index(player)}.1"')
        assert (stale["status"], stale["body"]["code"]) == (412, "stale")
        current = player.view().headers["etag"]
        assert socket.act(action, if_match=current)["status"] == 201


def test_what_the_rules_refuse_is_422_and_on_record(short: LiveMatch) -> None:
    player, _ = first(short)
    with playing(player) as socket:
        answer = socket.act({"type": "play", "chip": 99})
        assert (answer["status"], answer["body"]["receipt"]["valid"]) == (422, False)
        assert socket.lines[-1]["type"] == "match.action-refused.1"


LONG = "a" * 256
BAD = {
    "not JSON": ("x", None, "not_json"),
    "no object": ("[]", None, "wrong_shape"),
    "no id": ('{"action":{}}', None, "wrong_shape"),
    "an unknown member": ('{"id":"a","action":{},"more":1}', "a", "wrong_shape"),
    "no action": ('{"id":"a"}', "a", "wrong_shape"),
    "an id that is no key": ('{"id":"a b","action":{}}', "a b", "bad_idempotency_key"),
    "an id that is too long": (f'{{"id":"{LONG}","action":{{}}}}', LONG, "bad_idempotency_key"),
    "an unknown action": ('{"id":"a","action":{"type":"fly"}}', "a", "wrong_shape"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_a_wrong_message_is_answered_and_the_socket_stays_open(short: LiveMatch, what: str) -> None:
    text, to, code = BAD[what]
    player, action = first(short)
    with playing(player) as socket:
        socket.connection.send(text)
        answer = socket.answer(to)
        assert (answer["status"], answer["body"]["code"]) == (400, code)
        assert socket.act(action)["status"] == 201


def test_frames_that_are_no_text_or_too_large_close_it(short: LiveMatch) -> None:
    seat = short.seats[0]
    for content, text, code in (
        (b"{}", False, 1003),
        (b"\xff", True, 1007),
        (b" " * (64 * 1024 + 1), True, 1009),
    ):
        with playing(seat) as socket:
            socket.connection.send(content, text=text)
            assert socket.closed() == code


def test_a_message_in_fragments_is_one_message(short: LiveMatch) -> None:
    player, action = first(short)
    with playing(player) as socket:
        chip = str(action["chip"])
        socket.connection.send(['{"id":"a","action":', f'{{"type":"play","chip":{chip}}}', "}"])
        assert socket.answer("a")["status"] == 201


def test_pings_are_answered(short: LiveMatch) -> None:
    with playing(short.seats[0]) as socket:
        assert socket.connection.ping().wait(10)


def test_a_match_that_is_over_is_read_to_its_end(played: LiveMatch) -> None:
    with playing(played.seats[0], after=0) as socket:
        assert socket.closed() == 1000
        assert socket.lines == all_events(played.seats[0])
        assert socket.end == len(socket.lines)


def test_history_that_went_back_is_4409(short: LiveMatch) -> None:
    with playing(short.seats[0], after=1_000) as socket:
        assert socket.closed() == 4409
        assert not socket.texts


def test_who_may_not_play_is_told_before_the_handshake(live: Live, short: LiveMatch) -> None:
    refused(short.anyone, 401, "key_missing")
    refused(Player(live.bearing(short.keys[0] + "0"), short.id), 401, "key_unknown")
    for player in (short.moderator, short.organiser):
        refused(player, 403, "not_allowed")
    nobody = "0199aa00-0000-7000-8000-000000000000"
    refused(Player(short.seats[0].client, nobody), 404, "no_such_match")
    for origin in ("https://evil.example", "null"):
        refused(short.seats[0], 403, "origin_not_named", origin=origin)


def test_a_plain_request_is_told_to_upgrade(short: LiveMatch) -> None:
    seat = short.seats[0]
    answer = seat.client.get(f"{seat.path}/play")
    assert_problem(answer, 426, "upgrade_required")
    assert answer.headers["upgrade"] == "websocket"
    assert seat.client.send("HEAD", f"{seat.path}/play").status_code == 426
    wrong = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "8"}
    assert_problem(seat.client.get(f"{seat.path}/play", wrong), 426, "upgrade_required")


def test_a_ticket_to_play_is_used_once(short: LiveMatch) -> None:
    player, action = first(short)
    text = play_ticket(player)
    assert player.client.send("HEAD", f"{player.path}/play?ticket={text}").status_code == 426
    with playing(player, key=False, ticket=text) as socket:
        assert socket.act(action)["status"] == 201
        refused(player, 401, "ticket_unknown", key=False, ticket=text)


def test_a_ticket_is_for_one_use_alone(short: LiveMatch) -> None:
    player, _ = first(short)
    refused(player, 401, "ticket_unknown", key=False, ticket=ticket(player))
    answer = short.anyone.try_stream(ticket=play_ticket(player))
    assert_problem(answer, 401, "ticket_unknown")
    assert_problem(request_ticket(short.moderator, for_="play"), 403, "not_allowed")
    assert_problem(request_ticket(player, "public", for_="play"), 403, "not_allowed")
    assert_problem(request_ticket(player, for_="ride"), 400, "wrong_shape")


def test_an_ended_key_closes_it_at_once(short: LiveMatch) -> None:
    keys = short.organiser.client.get(f"{short.organiser.path}/keys").json()["keys"]
    own = next(key["id"] for key in keys if key["role"] == "seat:0")
    with (
        playing(short.seats[0]) as ends,
        playing(short.seats[0], key=False, ticket=play_ticket(short.seats[0])) as too,
        playing(short.seats[1]) as goes_on,
    ):
        path = f"{short.organiser.path}/keys/{own}"
        assert short.organiser.client.send("DELETE", path).status_code < 300
        assert (ends.closed(), too.closed()) == (4401, 4401)
        assert goes_on.act({"type": "fly"})["status"] == 400


def test_the_end_comes_behind_the_answer_that_brought_it(short: LiveMatch) -> None:
    with ExitStack() as stack:
        sockets = [stack.enter_context(playing(seat)) for seat in short.seats]
        played_by_sockets(short, sockets, "twelve-chips")
        for socket in sockets:
            socket.closed()
            assert '"end"' in socket.texts[-1]


def test_reads_over_it_are_accounted_for(live: Live) -> None:
    match = live.started("twelve-chips", options={"tokens_to_win": 1})
    with playing(match.seats[0], after=0) as socket:
        play_out(match)
        socket.closed()
    reads = match.moderator.client.get(f"{match.moderator.path}/reads").json()["reads"]
    own = [read for read in reads if read["as"] == "seat:0"]
    assert max(read["seq"] for read in own) == socket.end
