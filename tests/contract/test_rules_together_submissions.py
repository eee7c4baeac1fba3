"""Together We Survive, section A round: the content of a submission, and its verdict."""

from typing import Any

import pytest

from tests.support.http.match_play import all_events
from tests.support.http.rule_answers import accepted_body, invalid, seen
from tests.support.http.together_client import camp, close, play_round, submit
from tests.support.servers.live_server import Json, Live, LiveMatch

BOTH: Json = {"reveal_vote_counts": "both"}


def statuses(match: LiveMatch, seat: int) -> list[str]:
    """The verdicts on the seat's submissions, as the seat sees them."""
    return [row["status"] for row in seen(match.seats[seat])["submissions"]]


def standing(match: LiveMatch, seat: int) -> Json | None:
    """The body of the seat's submission that counts now."""
    row = seen(match.seats[seat])["standing"]
    body: Json | None = row and row["body"]
    return body


def votes(
    match: LiveMatch, number: int = 1
) -> tuple[list[int | None] | None, list[int | None] | None]:
    """The votes of a round by seat, type A and type B."""
    row = seen(match.anyone)["votes"][number - 1]
    assert row["round"] == number
    return row["a"], row["b"]


@pytest.mark.parametrize("seat", range(6))
@pytest.mark.parametrize("fields", [{"a": [1]}, {"b": [3, 4, 4]}], ids=["A", "B"])
def test_round_each_player_of_either_group_may_send_both_types(
    live: Live, seat: int, fields: Json
) -> None:
    match = camp(live, 6, {"b_self": True})
    accepted_body(submit(match, seat, **fields))


def test_round_a_kicked_out_player_may_send_both_types(live: Live) -> None:
    match = camp(live, 6)
    play_round(match, {1: [0]})
    assert seen(match.anyone)["stage"][0] == "kicked_out"
    accepted_body(submit(match, 0, a=[1]))
    accepted_body(submit(match, 0, b=[3, 3, 3]))


@pytest.mark.parametrize("fields", [{}, {"a": None, "b": None}, {"pay_garnet": True}], ids=str)
def test_round_both_null_or_absent_withdraws(live: Live, fields: Json) -> None:
    match = camp(live, 6)
    accepted_body(submit(match, 0, a=[1, 1]))
    accepted_body(submit(match, 0, **fields))
    accepted_body(submit(match, 1, a=[2]))
    close(match)
    assert votes(match)[0] == [0, 0, 1, None, None, None]
    assert seen(match.seats[0])["tokens"] == 5


def test_round_a_submission_says_which_it_is_for(live: Live) -> None:
    """Nothing carries over: without a round, what misses its deadline would count in the next."""
    match = camp(live, 6)
    for fields in ({}, {"a": [1]}, {"round": None}, {"round": "1"}):
        answer = match.seats[0].act({"type": "submit", **fields})
        assert (answer.status_code, answer.json()["code"]) == (400, "wrong_shape")
    accepted_body(submit(match, 0, a=[1], round=1))
    close(match)
    accepted_body(submit(match, 0, a=[2], round=2))


def test_round_with_a_past_round_it_is_late(live: Live) -> None:
    match = camp(live, 6)
    play_round(match, {0: [1]})
    accepted_body(submit(match, 0, a=[2], round=2))
    invalid(submit(match, 0, a=[0], round=1), "late")
    assert statuses(match, 0)[-2:] == ["valid", "late"]
    close(match)
    assert votes(match, 2) == ([0, None, 1, None, None, None], None)


def test_round_with_a_round_to_come_it_does_not_count(live: Live) -> None:
    match = camp(live, 6)
    invalid(submit(match, 0, a=[1], round=2), "no_such_round")
    assert standing(match, 0) is None


@pytest.mark.parametrize(
    ("seats", "code"),
    [
        ([], "no_votes"),
        ([3], "not_on_stage"),
        ([1, 9], "not_on_stage"),
        ([1] * 6, "not_enough_tokens"),
    ],
    ids=str,
)
def test_type_a_is_one_or_more_votes_for_players_on_stage(
    live: Live, seats: list[int], code: str
) -> None:
    invalid(submit(camp(live, 6), 0, a=seats), code)


def test_type_a_is_not_for_a_kicked_out_player(live: Live) -> None:
    match = camp(live, 6)
    play_round(match, {0: [1]})
    invalid(submit(match, 0, a=[1]), "not_on_stage")


def test_type_a_may_be_for_oneself_and_repeated_and_costs_a_token_each(live: Live) -> None:
    match = camp(live, 6)
    play_round(match, {0: [0, 0, 0, 1, 2]})
    assert seen(match.seats[0])["tokens"] == 0
    assert votes(match)[0] == [3, 1, 1, None, None, None]


def test_type_a_is_not_more_than_the_tokens_held(live: Live) -> None:
    match = camp(live, 6)
    invalid(submit(match, 3, a=[0, 1]), "not_enough_tokens")
    play_round(match, {0: [0, 0, 0]})
    invalid(submit(match, 0, a=[1, 1, 1]), "not_enough_tokens")
    accepted_body(submit(match, 0, a=[1, 1]))


@pytest.mark.parametrize(
    ("seats", "code"),
    [
        ([], "not_three_votes"),
        ([3, 4], "not_three_votes"),
        ([3, 4, 5, 3], "not_three_votes"),
        ([3, 4, 0], "not_in_group_b"),
        ([3, 4, 9], "not_in_group_b"),
    ],
    ids=str,
)
def test_type_b_is_exactly_three_votes_for_group_b(live: Live, seats: list[int], code: str) -> None:
    invalid(submit(camp(live, 6), 0, b=seats), code)


def test_type_b_is_free_and_gives_each_voted_player_a_token(live: Live) -> None:
    match = camp(live, 6, BOTH)
    play_round(match, {0: [0]}, {1: [3, 3, 4], 5: [3, 4, 4]})
    assert [seen(seat)["tokens"] for seat in match.seats] == [4, 5, 5, 4, 4, 1]
    assert votes(match)[1] == [None, None, None, 3, 3, 0]


def test_both_types_only_with_pay_garnet_and_a_garnet_held(live: Live) -> None:
    match = camp(live, 6, {"garnets": [1, 0, 0, 0, 0, 0], **BOTH})
    both = {"a": [2], "b": [3, 3, 3]}
    invalid(submit(match, 0, **both), "garnet_not_offered")
    invalid(submit(match, 1, **both, pay_garnet=True), "no_garnet")
    accepted_body(submit(match, 0, **both, pay_garnet=True))
    assert seen(match.seats[0])["garnets"] == 1
    close(match)
    assert seen(match.seats[0])["garnets"] == 0
    assert votes(match) == ([0, 0, 1, None, None, None], [None, None, None, 3, 0, 0])
    invalid(submit(match, 0, a=[1], b=[3, 3, 3], pay_garnet=True), "no_garnet")


@pytest.mark.parametrize("fields", [{"a": [1]}, {"b": [3, 3, 3]}], ids=["A", "B"])
def test_with_one_type_alone_pay_garnet_costs_nothing(live: Live, fields: Json) -> None:
    match = camp(live, 6, {"garnets": [1, 0, 0, 0, 0, 0]})
    accepted_body(submit(match, 0, **fields, pay_garnet=True))
    accepted_body(submit(match, 1, **fields, pay_garnet=True))
    accepted_body(submit(match, 2, a=[0]))
    close(match)
    assert [seen(seat)["garnets"] for seat in match.seats[:2]] == [1, 0]


def test_both_types_in_a_submission_that_was_replaced_cost_nothing(live: Live) -> None:
    match = camp(live, 6, {"garnets": [1, 0, 0, 0, 0, 0], **BOTH})
    accepted_body(submit(match, 0, a=[1, 1], b=[3, 3, 3], pay_garnet=True))
    accepted_body(submit(match, 0, a=[2]))
    close(match)
    view = seen(match.seats[0])
    assert (view["garnets"], view["tokens"]) == (1, 4)
    assert votes(match) == ([0, 0, 1, None, None, None], [None, None, None, 0, 0, 0])


def test_submission_only_the_sender_sees_it(live: Live) -> None:
    match = camp(live, 6)
    others = (match.anyone, *match.seats[1:])
    before = [(o.view().content, o.events().content, o.menu().content) for o in others]
    accepted_body(submit(match, 0, a=[1]))
    invalid(submit(match, 0, a=[]), "no_votes")
    accepted_body(submit(match, 0))
    assert [(o.view().content, o.events().content, o.menu().content) for o in others] == before


def test_submission_every_one_is_recorded_with_its_time_content_and_verdict(live: Live) -> None:
    match = camp(live, 6)
    at = [
        submit(match, 0, **fields).json()["receipt"]["at"]
        for fields in ({"a": [1]}, {"b": [3]}, {"b": [3, 4, 5]})
    ]
    rows = seen(match.seats[0])["submissions"]
    assert all(set(row) == {"at", "body", "status", "code"} for row in rows)
    assert [row["at"] for row in rows] == at
    assert [row["code"] for row in rows] == [None, "not_three_votes", None]
    assert [row["status"] for row in rows] == ["superseded", "invalid", "valid"]
    assert [row["body"]["type"] for row in rows] == ["submit"] * 3
    assert [row["body"].get("a") for row in rows] == [[1], None, None]
    assert [row["body"].get("b") for row in rows] == [None, [3], [3, 4, 5]]
    assert seen(match.seats[0])["standing"] == rows[-1]


def test_submission_it_is_a_full_statement_for_the_round(live: Live) -> None:
    match = camp(live, 6, BOTH)
    accepted_body(submit(match, 0, a=[1]))
    accepted_body(submit(match, 0, b=[3, 3, 3]))
    close(match)
    assert votes(match) == ([0, 0, 0, None, None, None], [None, None, None, 3, 0, 0])


def test_submission_the_last_valid_one_counts(live: Live) -> None:
    match = camp(live, 6)
    for target in (0, 1, 2):
        accepted_body(submit(match, 0, a=[target]))
    assert statuses(match, 0) == ["superseded", "superseded", "valid"]
    close(match)
    assert votes(match)[0] == [0, 0, 1, None, None, None]


def test_submission_an_invalid_one_never_displaces_a_valid_one(live: Live) -> None:
    match = camp(live, 6)
    accepted_body(submit(match, 0, a=[1]))
    invalid(submit(match, 0, a=[4]), "not_on_stage")
    body = standing(match, 0)
    assert body is not None
    assert body["a"] == [1]
    assert statuses(match, 0) == ["valid", "invalid"]
    close(match)
    assert votes(match)[0] == [0, 1, 0, None, None, None]


def test_submission_if_none_is_valid_there_is_none(live: Live) -> None:
    match = camp(live, 6)
    invalid(submit(match, 0, a=[4]), "not_on_stage")
    assert standing(match, 0) is None
    accepted_body(submit(match, 1, a=[0]))
    close(match)
    assert votes(match)[0] == [1, 0, 0, None, None, None]


def test_submission_nothing_carries_over(live: Live) -> None:
    match = camp(live, 6, BOTH)
    play_round(match, {0: [1]}, {2: [3, 4, 5]})
    assert standing(match, 0) is None
    accepted_body(submit(match, 0, a=[2]))
    close(match)
    assert votes(match, 2) == ([0, None, 1, None, None, None], [None, None, None, 0, 0, 0])


def test_submission_a_player_may_see_their_own_count_and_no_other_at_any_time(live: Live) -> None:
    match = camp(live, 6)
    play_round(match, {0: [1, 1]}, {2: [3, 4, 5]})
    assert [seen(seat)["tokens"] for seat in match.seats] == [3, 5, 5, 2, 2, 2]
    assert "tokens" not in seen(match.anyone)
    assert seen(match.seats[1])["b_tokens"] is None


def test_submission_tokens_cannot_be_given_away(live: Live) -> None:
    match = camp(live, 6)
    for action in ({"type": "give", "to": 1}, {"type": "submit", "round": 1, "give": [1]}):
        assert match.seats[0].act(action).status_code == 400


def supersedes(match: LiveMatch, **fields: Any) -> str | None:
    """What the receipt of seat 0's valid submission says that it supersedes."""
    said: str | None = accepted_body(submit(match, 0, **fields))["receipt"].get("supersedes")
    return said


def test_submission_the_receipt_says_which_other_type_it_supersedes(live: Live) -> None:
    match = camp(live, 6, {"garnets": [1, 0, 0, 0, 0, 0]})
    assert supersedes(match, a=[1]) is None
    assert supersedes(match, a=[2]) is None
    assert supersedes(match, b=[3, 3, 3]) == "a"
    invalid(submit(match, 0, a=[4]), "not_on_stage")
    assert supersedes(match, a=[1]) == "b"
    assert supersedes(match, a=[1], b=[3, 3, 3], pay_garnet=True) is None
    assert supersedes(match, b=[3, 3, 3]) == "a"
    assert supersedes(match) is None
    assert supersedes(match, a=[1]) is None


def test_submission_the_repeated_request_says_again_what_it_supersedes(live: Live) -> None:
    match = camp(live, 6)
    accepted_body(submit(match, 0, a=[1]))
    body, key = {"type": "submit", "b": [3, 3, 3], "round": 1}, {"Idempotency-Key": "once"}
    first, again = (match.seats[0].act(body, key) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["receipt"]["supersedes"] == "a"
    assert again.content == first.content


def test_submission_what_it_supersedes_is_among_the_sender_s_events_alone(live: Live) -> None:
    match = camp(live, 6)
    accepted_body(submit(match, 0, a=[1]))
    accepted_body(submit(match, 0, b=[3, 3, 3]))
    own = [e["data"] for e in all_events(match.seats[0]) if "submission-made" in e["type"]]
    assert [event.get("supersedes") for event in own] == [None, "a"]
    for other in (match.anyone, match.seats[1]):
        assert "supersedes" not in other.events().text


def test_a_list_of_votes_has_no_more_entries_than_a_seat_can_have_tokens(live: Live) -> None:
    """Group A only spends its 5 tokens; group B gets at most three from each of 6 seats in each of
    3 rounds."""
    match = camp(live, 6)
    most = 1 + 3 * 6 * 3
    before = match.seats[0].view().content
    for kind in ("a", "b"):
        answer = submit(match, 0, **{kind: [0] * (most + 1)})
        assert (answer.status_code, answer.json()["code"]) == (400, "wrong_shape")
    assert match.seats[0].view().content == before
    invalid(submit(match, 0, a=[0] * most), "not_enough_tokens")
