"""Rewinds over HTTP, also into sealed phases, and what is struck and admitted there (rulings,
sections 1, 3 and 4)."""

from contextlib import ExitStack

import pytest

from tests.support.http.match_play import all_events, assert_problem, ndjson, step
from tests.support.http.rewind_client import (
    flipped,
    moderators,
    numbers,
    resumed,
    rewound,
    steal,
    steps,
)
from tests.support.http.ruling_client import rule, ruled, second, seconded
from tests.support.http.sealed_play import accepted_body, camp, close, invalid, seen, submit
from tests.support.servers.live_server import NDJSON, Json, Live, LiveMatch


def test_a_mistyped_draw_with_nothing_since_is_redrawn_by_one_person(live: Live) -> None:
    """Must show 1 and 10."""
    match = live.started("dollar-prize", chance="manual")
    draw, before = steal(match)
    wrong = seen(match.anyone)
    redraw = {"redraw": {"id": draw["id"], "outcome": flipped(draw, "tails")}}
    answer = ruled(match.moderator, "rewind", before=before, changes=[redraw])
    assert (answer["status"], answer["n"]) == ("carried_out", 1)
    assert match.anyone.view().json()["status"] == "paused"
    assert seen(match.anyone) != wrong
    resumed(match)
    shown = [event for event in all_events(match.anyone) if event["type"] == "match.draw-settled.1"]
    assert [event["data"]["id"] for event in shown[-2:]] == [draw["id"], f"b1/{draw['id']}"]
    assert (shown[-1]["data"]["by"], shown[-1]["data"]["outcome"]) == (
        "ruling",
        flipped(draw, "tails"),
    )
    steps(match, 3)


@pytest.mark.parametrize("reapply", ["none", "while_legal"])
def test_a_preview_shows_where_the_rewind_leaves_the_match(live: Live, reapply: str) -> None:
    """With the draw as it is corrected, and with what is judged again."""
    match = live.started("dollar-prize", chance="manual")
    draw, before = steal(match)
    steps(match, 4)
    redraw = {"redraw": {"id": draw["id"], "outcome": flipped(draw, "tails")}}
    asked: Json = {"before": before, "changes": [redraw], "reapply": reapply}
    first, other = moderators(match, live)
    position = rule(first, "rewind", preview=True, **asked).json()["position"]
    ruling = ruled(first, "rewind", **asked)["ruling"]
    assert second(other, ruling, preview=True).json()["position"]["view"] == position["view"]
    assert seconded(other, ruling).status_code == 201
    seen = match.moderator.view().json()
    assert {**position, "seq": seen["seq"], "public_seq": seen["public_seq"]} == seen


def test_a_preview_shows_no_hand_that_moderators_are_not_shown(live: Live) -> None:
    match = live.started("twelve-chips", chance="manual", options={"hands": "entered"})
    for player, hand in zip(match.seats, ([1, 2, 4, 5], [3, 7, 8, 10]), strict=True):
        assert player.act({"type": "enter", "chips": hand}).status_code == 201
    steps(match, 1)
    played = numbers(match, "twelve-chips.chip-played.1")[-1]
    answer = rule(match.moderator, "rewind", preview=True, before=played)
    first, other = moderators(match, live)
    assert seconded(other, ruled(first, "rewind", before=played)["ruling"]).status_code == 201
    assert answer.json()["position"]["view"] == match.moderator.view().json()["view"]
    assert match.seats[0].view().json()["view"] != match.moderator.view().json()["view"]


def test_later_inputs_are_judged_again_up_to_the_misfit_that_the_preview_names(live: Live) -> None:
    """Must show 2."""
    match = live.started("dollar-prize", chance="manual")
    draw, before = steal(match)
    steps(match, 30)
    redraw = {"redraw": {"id": draw["id"], "outcome": flipped(draw, "tails")}}
    asked: Json = {"before": before, "changes": [redraw], "reapply": "while_legal"}
    preview = rule(match.moderator, "rewind", preview=True, **asked).json()
    misfit = preview["misfit"]
    assert misfit is not None and before < misfit["seq"]
    public = {one["seq"]: one["public_seq"] for one in all_events(match.moderator)}
    assert misfit["public_seq"] == public[misfit["seq"]]
    assert before in preview["undone"] and preview["undone"] == sorted(preview["undone"])
    told = len(all_events(match.moderator))
    rewound(match, live, **asked)
    again = [
        event["data"]["of"]
        for event in all_events(match.moderator)[told:]
        if "reapplied" in event["type"]
    ]
    assert all(before < of < misfit["seq"] for of in again)
    resumed(match)
    steps(match, 2)


@pytest.mark.parametrize(
    ("game", "chance"),
    [("dollar-prize", "manual"), ("liars-dice", "server"), ("twelve-chips", "server")],
)
def test_every_older_view_and_event_stays_and_numbers_go_on(
    live: Live, game: str, chance: str
) -> None:
    """Must show 7 and 8: `before` names an event of the reader's own list."""
    match = steps(live.started(game, chance=chance), 9)
    before = numbers(match, "match.awaiting-changed.1")[-3]
    views, lists = old(match), {n: all_events(p) for n, p in match.audiences().items()}
    rewound(match, live, before=before)
    for name, player in match.audiences().items():
        events = all_events(player)
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert events[: len(lists[name])] == lists[name]
        said = next(e for e in events if e["type"] == "match.rewound.1")
        assert said["data"]["branch"] == 1
        own = said["data"]["before"]
        assert 1 < own <= len(lists[name])
        now, then = player.view().json(), player.view(at=own - 1).json()
        assert now["view"] == then["view"]
        assert (now["status"], now["seq"]) == ("paused", len(events))
    assert {name: body[: len(views[name])] for name, body in old(match).items()} == views
    resumed(match)
    steps(match, 1)


def test_open_streams_go_on_with_the_next_numbers(live: Live) -> None:
    match = steps(live.started("twelve-chips"), 6)
    before = numbers(match, "match.awaiting-changed.1")[-2]
    with ExitStack() as stack:
        streams = {}
        for name, player in match.audiences().items():
            seq = player.view().json()["seq"]
            streams[name] = ndjson(
                stack.enter_context(player.stream({"Accept": NDJSON}, after=seq))
            )
        told = {name: len(all_events(player)) for name, player in match.audiences().items()}
        rewound(match, live, before=before)
        resumed(match)
        steps(match, 2)
        for name, player in match.audiences().items():
            for event in all_events(player)[told[name] :]:
                assert next(streams[name]) == event


def old(match: LiveMatch) -> dict[str, list[str]]:
    """The bodies of each audience's views at all its numbers."""
    return {
        name: [player.view(at=at).text for at in range(1, player.view().json()["seq"] + 1)]
        for name, player in match.audiences().items()
    }


def test_server_chance_is_committed_to_anew_and_nothing_is_drawn_twice(live: Live) -> None:
    """Must show 9."""
    match = live.started("dollar-prize")
    while not numbers(match, "match.draw-settled.1"):
        steps(match, 1)
    drawn = numbers(match, "match.draw-settled.1")[-1]
    rewound(match, live, before=drawn)
    told = [event["type"] for event in all_events(match.anyone)]
    rewind = told.index("match.rewound.1")
    assert "match.seed-committed.1" in told[rewind:]
    seeded = match.seats[0].client.post(f"{match.seats[0].path}/client-seeds", {"seed": "mine"})
    assert seeded.status_code in (200, 201), seeded.text
    resumed(match)
    late = match.seats[0].client.post(f"{match.seats[0].path}/client-seeds", {"seed": "late"})
    assert_problem(late, 409, "seed_sealed")
    while step(match) is not None:
        pass
    events = all_events(match.anyone)
    kinds = [event["type"] for event in events]
    assert kinds.count("match.seed-revealed.1") == 2
    settled = [event["data"] for event in events if event["type"] == "match.draw-settled.1"]
    commits = [one["key_commit"] for one in settled]
    assert len(set(commits)) == len(commits)


def test_a_key_of_an_undone_action_is_refused_with_the_ruling(live: Live) -> None:
    """Must show 11."""
    match = live.started("dollar-prize", chance="manual")
    seat = match.seats[match.anyone.view().json()["awaiting"]["seats"][0]]
    sent = {"type": "choose_side", "side": "heads"}
    assert seat.act(sent, {"Idempotency-Key": "early"}).status_code == 201
    steps(match, 1)
    while True:
        view = match.moderator.view().json()
        if view["awaiting"]["draw"] is None:
            break
        steps(match, 1)
    mover = match.seats[view["awaiting"]["seats"][0]]
    entry = mover.menu().json()["actions"][0]
    action = {"type": entry["type"]} | {
        name: field["enum"][0]
        for name, field in entry["schema"]["properties"].items()
        if name != "type"
    }
    assert mover.act(action, {"Idempotency-Key": "late"}).status_code == 201
    before = numbers(match, "match.awaiting-changed.1")[-1]
    first, other = moderators(match, live)
    pending = ruled(first, "rewind", before=before)
    assert seconded(other, pending["ruling"]).status_code == 201
    again = mover.act(action, {"Idempotency-Key": "late"})
    assert_problem(again, 409, "undone_by_ruling")
    assert again.json()["ruling"] == pending["ruling"]
    assert seat.act(sent, {"Idempotency-Key": "early"}).status_code == 200
    resumed(match)
    assert_problem(mover.act(action, {"Idempotency-Key": "late"}), 409, "undone_by_ruling")
    assert mover.act(action, {"Idempotency-Key": "new"}).status_code == 201


# Sealed phases.


def told(match: LiveMatch, name: str) -> list[Json]:
    return all_events(match.audiences()[name])


def test_a_late_submission_that_is_admitted_counts(live: Live) -> None:
    """Must show 13."""
    match = camp(live)
    accepted_body(submit(match, 0, a=[0]))
    close(match)
    late = submit(match, 1, a=[0], round=1)
    invalid(late, "late")
    receipt = late.json()["receipt"]
    actions = numbers(match, "match.action-received.1")
    before = numbers(match, "match.phase-closed.1")[-1]
    rewound(match, live, before=before, changes=[{"admit": actions[-1]}])
    admitted = [e for e in told(match, "seat:1") if e["type"] == "match.admitted.1"]
    own = [e["seq"] for e in told(match, "seat:1") if e["type"] == "match.action-received.1"]
    assert [event["data"]["of"] for event in admitted] == [own[-1]]
    assert not [e for e in told(match, "seat:0") if e["type"] == "match.admitted.1"]
    resumed(match)
    close(match)
    counted = [e for e in told(match, "moderator") if e["type"] == "together.round-counted.1"]
    assert [event["data"]["a"][0] for event in counted] == [1, 2]
    again = match.seats[1].client.get(f"{match.seats[1].path}/receipts").json()
    assert receipt["at"] in str(again)


def test_a_submission_struck_in_the_open_phase_is_told_to_its_seat_alone(live: Live) -> None:
    """Nothing public is recorded, `ruled` included; the submission before it stands again."""
    match = camp(live)
    accepted_body(submit(match, 0, a=[0]))
    accepted_body(submit(match, 0, a=[1]))
    struck = numbers(match, "match.action-received.1")[-1]
    others = {name: told(match, name) for name in ("public", "seat:1")}
    own = len(told(match, "seat:0"))
    first, other = moderators(match, live)
    ruling = ruled(first, "rewind", changes=[{"strike": struck}])
    assert ruling["status"] == "pending"
    assert seconded(other, ruling["ruling"]).json()["n"] is None
    assert {name: told(match, name) for name in others} | {} == others
    kinds = [event["type"] for event in told(match, "seat:0")[own:]]
    assert kinds == ["match.seat-ruled.1", "match.struck.1"]
    before = match.seats[0].view(at=own - 2).json()["view"]
    assert match.seats[0].view().json()["view"] == before
    close(match)
    (counted,) = [e for e in told(match, "moderator") if e["type"] == "together.round-counted.1"]
    assert counted["data"]["a"][:2] == [1, 0]


def test_only_the_open_phase_can_be_changed_without_undoing_anything(live: Live) -> None:
    match = camp(live)
    accepted_body(submit(match, 0, a=[0]))
    early = numbers(match, "match.action-received.1")[-1]
    close(match)
    answer = rule(match.moderator, "rewind", changes=[{"strike": early}], preview=True)
    assert_problem(answer, 422, "not_live")
    asked: Json = {"changes": [{"strike": early}], "ask_seats": True, "preview": True}
    assert_problem(rule(match.moderator, "rewind", **asked), 422, "not_public")
