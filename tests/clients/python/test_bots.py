"""Bots of the Python client: they act when they are awaited, in sealed phases once, and end."""

from collections.abc import Callable
from functools import partial
from typing import cast

import msgspec
import pytest

from arbiter_client import Action, Choose, Match, Menu, Refused, Retries, View
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.blocking import Service
from arbiter_client.requests import Answer, Request
from tests.clients.python.client_matches import arbiter, bot_of, by_luck, played, started
from tests.clients.scripted_transport import (
    INCARNATION,
    ScriptedChannel,
    ScriptedTransport,
    problem,
    receipt_note,
)
from tests.support.servers.live_server import Live

SEALED = "together"
ACTION = {"type": "keep"}
AWAITING, RECEIVED = "match.awaiting-changed.1", "match.action-received.1"


def withdrawn(action: Action) -> Action:
    """A submission that is none: the seat has then submitted nothing."""
    return {"type": "submit", "round": action["round"]}


def invalid(action: Action) -> Action:
    """A submission that is recorded and does not count."""
    return {"type": "submit", "round": action["round"], "b": [2, 3]}


def choosing(submission: Callable[[Action], Action]) -> Choose:
    """Chooses the first example, or this in place of a submission."""

    def choose(menu: Menu, view: View) -> Action:
        action = menu.actions[0].examples[0]
        return submission(action) if action["type"] == "submit" else action

    return choose


@pytest.mark.parametrize("submission", [withdrawn, invalid])
def test_in_a_sealed_phase_a_seat_acts_once_whatever_it_sends(
    live: Live, submission: Callable[[Action], Action]
) -> None:
    made = started(live, SEALED)
    others = [bot_of(live, made, n) for n in range(1, len(made.seats))]
    bots = [bot_of(live, made, 0, choosing(submission)), *others]
    played(live, made, SEALED, bots)
    with arbiter(live.url, made.seats[0].key) as opened:
        events = list(opened.match(made.id).follow())
    acted = [event.data["action"] for event in events if event.type == RECEIVED]
    phases = [event.data for event in events if event.type == AWAITING]
    rounds = [p for p in phases if p["phase"].startswith("round") and 0 in p["seats"]]
    assert len([action for action in acted if action["type"] == "submit"]) == len(rounds) > 0


def test_a_bot_that_starts_again_does_not_submit_twice(live: Live) -> None:
    made = started(live, SEALED)
    with arbiter(live.url, made.seats[0].key) as opened:
        before = opened.match(made.id)
        before.act({"type": "submit", "round": 1, "a": [1]})
    rounds: list[object] = []

    def choose(menu: Menu, view: View) -> Action:
        action = by_luck()(menu, view)
        rounds.append(action.get("round"))
        return action

    others = [bot_of(live, made, n) for n in range(1, len(made.seats))]
    played(live, made, SEALED, [bot_of(live, made, 0, choose), *others])
    assert rounds[:1] != [1]


def test_a_bot_may_be_started_before_the_match(live: Live) -> None:
    with arbiter(live.url, live.organiser.key) as organiser:
        made = organiser.create_match("liars-dice", ["Ann", "Ben"], {"dice": 1})
        start = partial(organiser.match(made.id).start)
        bots = [bot_of(live, made, seat) for seat in (0, 1)]
        ann, ben, _ = played(live, made, "liars-dice", [*bots, start])
    assert cast(Match, ann).receipts or cast(Match, ben).receipts


def too_early(menu: Menu, view: View) -> Action:
    """No one can end a turn before the sides are chosen."""
    return {"type": "end_turn"}


def test_a_bot_that_chooses_what_is_not_allowed_is_told_so(live: Live) -> None:
    made = started(live, "dollar-prize")
    with arbiter(live.url, made.seats[0].key) as opened:
        match = opened.match(made.id)
        with pytest.raises(Refused) as refused:
            match.bot(too_early)
    assert [receipt.code for receipt in match.receipts] == [refused.value.code]


def view(seq: int, seats: tuple[int, ...], status: str = "running") -> Answer:
    body = {
        "match": "m", "game": "g", "audience": "seat:0", "seq": seq, "status": status,
        "awaiting": {"seats": seats},
    }  # fmt: skip
    return Answer(200, INCARNATION, msgspec.json.encode(body))


def menu(*actions: Action, awaited: bool = True) -> Answer:
    entries = [{"type": "keep", "schema": {}, "exact": True, "examples": [a]} for a in actions]
    body = {"actions": entries, "awaited": awaited, "submitted": False, "standing": None}
    return Answer(200, {}, msgspec.json.encode(body))


def line(seq: int, kind: str, **data: object) -> object:
    return {"seq": seq, "at": "2026-11-21T14:00:00Z", "type": kind, "data": data}


NOTHING, KEEP = menu(), menu(ACTION)
TAKEN = {
    "receipt": {
        "valid": True, "code": None, "seat": 0, "seq": 8,
        "at": "2026-11-21T14:00:00Z", "idempotency_key": "k",
        "note": receipt_note(0, 8),
    },
    "view": msgspec.json.decode(view(8, (1,)).body),
}  # fmt: skip
OK = Answer(201, {}, msgspec.json.encode(TAKEN))
END = {"end": True, "seq": 9}


def first_example(menu: Menu, view: View) -> Action:
    return menu.actions[0].examples[0]


def sent(answers: list[Answer], *streams: Answer | ScriptedChannel) -> list[Request]:
    """The actions that a bot has sent."""
    transport = ScriptedTransport(answers, streams)
    match = Service(Calls(transport, "arb_s0_key", Retries())).match("m")
    match.bot(first_example)
    return [request for request in transport.requests if request.method == "POST"]


def test_a_bot_goes_on_when_a_paused_match_is_resumed() -> None:
    stream = ScriptedChannel([line(7, "match.resumed.1"), END])
    over = view(9, (), "ended")
    answers = [view(6, (0,), "paused"), NOTHING, view(7, (0,)), KEEP, OK, over]
    assert len(sent(answers, stream)) == 1


def test_a_bot_that_acts_on_old_news_looks_again() -> None:
    over = view(9, (), "ended")
    stale = problem(412, "stale")
    answers = [view(6, (0,)), KEEP, stale, view(7, (0,)), KEEP, OK, over]
    actions = sent(answers, ScriptedChannel([END]))
    assert [one.headers["If-Match"] for one in actions] == ['"seat:0.6"', '"seat:0.7"']
    assert len({one.headers["Idempotency-Key"] for one in actions}) == 2


def test_a_bot_does_not_act_again_for_what_it_has_seen() -> None:
    stream = ScriptedChannel([line(5, AWAITING, seats=[0, 1]), line(7, AWAITING, seats=[1]), END])
    assert len(sent([view(6, (0, 1)), KEEP, OK, view(9, (), "ended")], stream)) == 1


def test_a_bot_begins_anew_when_history_went_back() -> None:
    gone = problem(409, "history_went_back")
    answers = [view(6, (1,)), view(4, (0, 1)), KEEP, OK, view(9, (), "ended")]
    assert len(sent(answers, gone, ScriptedChannel([END]))) == 1
