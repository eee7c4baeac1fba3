"""`public_seq` over HTTP: everyone's number to cite, and requests that take it."""

from typing import Any

import msgspec
import pytest

from tests.support.http.case_client import do, open_case, opened, shown
from tests.support.http.match_play import all_events, assert_problem, ndjson, side_chosen
from tests.support.http.ruling_client import rule, ruled
from tests.support.servers.live_server import NDJSON, Json, Live, LiveMatch

CHOSEN = "dollar-prize.side-chosen.1"


@pytest.fixture
def begun(live: Live) -> LiveMatch:
    return side_chosen(live)


def the(events: list[Json], kind: str) -> Json:
    (found,) = (event for event in events if event["type"] == kind)
    return found


def fact(event: Json) -> Any:
    return event["type"], event["at"], event["data"]


def test_every_audience_is_told_the_publics_number_of_its_events(begun: LiveMatch) -> None:
    public = all_events(begun.anyone)
    assert [one["public_seq"] for one in public] == [one["seq"] for one in public]
    for reader in (*begun.seats, begun.moderator):
        own = all_events(reader)
        told = [one for one in own if one["public_seq"] is not None]
        assert [one["public_seq"] for one in told] == [one["seq"] for one in public]
        assert list(map(fact, told)) == list(map(fact, public))
        assert len(own) > len(told)


def test_pages_streams_views_and_the_time_line_say_the_same(begun: LiveMatch) -> None:
    for name, reader in begun.audiences().items():
        own = all_events(reader)
        after = len(own) - 3
        assert reader.events(after=after, limit=3).json()["events"] == own[after:]
        with reader.stream({"Accept": NDJSON}, after=after) as stream:
            assert [next(lines) for lines in [ndjson(stream)] for _ in range(3)] == own[after:]
        with reader.stream(after=after) as stream:
            data = (one for one in stream.iter_lines() if one.startswith('data: {"seq"'))
            told = [msgspec.json.decode(next(data).removeprefix("data: ")) for _ in range(3)]
        assert told == own[after:]
        lines = reader.client.get(f"{reader.path}/timeline").json()["lines"]
        assert [one["public_seq"] for one in lines] == [one["public_seq"] for one in own]
        for seq in (1, 2, after, len(own)):
            shown_then = reader.view(at=seq).json()
            public = [one for one in own[:seq] if one["public_seq"] is not None]
            assert shown_then["public_seq"] == len(public), (name, seq)
        assert reader.view().json()["public_seq"] == len(all_events(begun.anyone))


# A rewind.


def test_a_rewind_names_an_event_by_the_publics_number(begun: LiveMatch) -> None:
    chosen = the(all_events(begun.moderator), CHOSEN)
    assert chosen["public_seq"] != chosen["seq"]
    asked: Json = {"preview": True}
    by_own = rule(begun.moderator, "rewind", before=chosen["seq"], **asked).json()
    by_public = rule(begun.moderator, "rewind", before_public=chosen["public_seq"], **asked).json()
    assert by_public == by_own and chosen["seq"] in by_own["undone"]
    ruled(begun.moderator, "rewind", before_public=chosen["public_seq"])
    rewound = the(all_events(begun.anyone), "match.rewound.1")
    assert rewound["data"]["before"] <= chosen["public_seq"]
    assert begun.anyone.view().json()["status"] == "paused"


def test_a_rewind_names_events_that_there_are(begun: LiveMatch) -> None:
    public, every = (len(all_events(one)) for one in (begun.anyone, begun.moderator))
    assert public < every
    known = {"before_public": public - 1}
    for pointer, last, names in (
        ("/before_public", public, lambda number: {"before_public": number}),
        ("/before", every, lambda number: {"before": number}),
        ("/changes/0/strike", every, lambda number: known | {"changes": [{"strike": number}]}),
        ("/changes/0/admit", every, lambda number: known | {"changes": [{"admit": number}]}),
    ):
        for number in (last + 1, 2**31):
            answer = rule(begun.moderator, "rewind", **names(number), preview=True)
            assert_problem(answer, 409, "history_went_back")
            assert answer.json()["errors"][0]["pointer"] == pointer
        there = rule(begun.moderator, "rewind", **names(last), preview=True)
        assert there.json().get("code") != "history_went_back"


def test_a_seat_learns_no_number_by_a_rewind(begun: LiveMatch) -> None:
    for number in (1, 2**31):
        answer = rule(begun.seats[0], "rewind", before=number, ask_seats=True, preview=True)
        assert_problem(answer, 403, "not_allowed")


def test_an_event_is_named_by_one_number(begun: LiveMatch) -> None:
    chosen = the(all_events(begun.moderator), CHOSEN)
    both = {"before": chosen["seq"], "before_public": chosen["public_seq"]}
    for fields in (both, {}, {"before": None, "before_public": None}, {"before_public": 0}):
        answer = rule(begun.moderator, "rewind", **fields)
        assert answer.status_code == 400, fields
    null = rule(
        begun.moderator, "rewind", before=None, before_public=chosen["public_seq"], preview=True
    )
    assert null.status_code == 200


# A case.


def test_a_case_is_about_an_event_by_the_publics_number(begun: LiveMatch) -> None:
    ann, ben = begun.seats
    chosen = the(all_events(ann), CHOSEN)
    by_public, by_own = (
        opened(ann, about_public=chosen["public_seq"]),
        opened(ann, about=chosen["seq"]),
    )
    received = the(all_events(ann), "match.action-received.1")
    private = opened(ann, about=received["seq"])
    for case in (by_public, by_own, private):
        assert do(begun.moderator, case, "parties", {"seat": 1}).status_code == 204
    for player in (ann, ben, begun.moderator, begun.organiser):
        counted = all_events(begun.anyone if player is begun.organiser else player)
        for case in (by_public, by_own):
            told = shown(player, case)
            assert told["about"] == the(counted, CHOSEN)["seq"]
            assert told["about_public"] == chosen["public_seq"]
        seen = shown(player, private)
        own = [one["seq"] for one in counted if fact(one) == fact(received)] or [None]
        assert [seen["about"], seen["about_public"]] == [*own, None]
    nothing = shown(ann, opened(ann, about_public=None, about=None))
    assert (nothing["about"], nothing["about_public"]) == (None, None)


def test_a_case_is_about_an_event_that_there_is_and_by_one_number(begun: LiveMatch) -> None:
    last = len(all_events(begun.anyone))
    for player in (begun.seats[0], begun.moderator, begun.organiser):
        assert_problem(open_case(player, about_public=last + 1), 409, "history_went_back")
    for player in (begun.seats[0], begun.moderator):
        beyond = open_case(player, about=len(all_events(player)) + 1)
        assert_problem(beyond, 409, "history_went_back")
    assert open_case(begun.seats[0], about=0).status_code == 400
    assert open_case(begun.seats[0], about=1, about_public=1).status_code == 400
    assert open_case(begun.seats[0], about_public=0).status_code == 400
