"""`/v1/matches/{id}/timeline` and `/knowledge`: causes and who could know what, made of an
audience's own events alone."""

from typing import Any

import pytest

from tests.support.http.evidence_client import looked
from tests.support.servers.live_server import Json, Live, LiveMatch, Player


@pytest.fixture
def secret(live: Live) -> LiveMatch:
    """Liar's Dice: each seat has dice that others do not see."""
    return live.started("liars-dice")


def timeline(reader: Player, **query: Any) -> Json:
    answer: Json = reader.client.get(f"{reader.path}/timeline", **query).json()
    return answer


def knowledge(reader: Player, **query: Any) -> Json:
    answer: Json = reader.client.get(f"{reader.path}/knowledge", **query).json()
    return answer


def test_the_lines_are_those_of_the_events(secret: LiveMatch) -> None:
    for reader in (secret.anyone, secret.seats[1], secret.moderator):
        events = reader.events().json()["events"]
        lines = timeline(reader)["lines"]
        shown = [
            {name: line[name] for name in ("seq", "public_seq", "at", "type", "data")}
            for line in lines
        ]
        assert shown == events


def test_a_refusal_says_what_its_code_means(coins: LiveMatch) -> None:
    coins.seats[1].act({"type": "choose_side", "side": "heads"})
    *_, asked, refused = timeline(coins.seats[1])["lines"]
    assert (asked["input"], refused["cause"]) == (True, asked["seq"])
    assert refused["code"] == "not_your_turn" and refused["rule"]


def test_hidden_facts_are_known_to_those_for_whom_they_are(secret: LiveMatch) -> None:
    answer = knowledge(secret.moderator, facts="hidden")
    lines = {line["seq"]: line for line in timeline(secret.moderator)["lines"]}
    assert answer["readers"] == ["public", "moderator", "seat:0", "seat:1"]
    assert {fact["seq"] for fact in answer["facts"]} == {
        seq for seq, line in lines.items() if line["seen_by"] != "public"
    }
    for fact in answer["facts"]:
        seen_by = lines[fact["seq"]]["seen_by"]
        informed = {one["reader"] for one in fact["known"] if one["since"] is not None}
        assert informed == {"moderator", seen_by}
    page = knowledge(secret.moderator, facts="hidden", limit=1)
    assert page["facts"] == answer["facts"][:1]
    assert page["next"] == answer["facts"][0]["seq"]


def test_what_the_end_opened_is_known_to_all_from_then_on(played: LiveMatch) -> None:
    facts = knowledge(played.anyone, as_="moderator", facts="hidden")["facts"]
    assert facts
    for fact in facts:
        public = [one for one in fact["known"] if one["reader"] == "public"]
        assert [one["how"] for one in public][-1] == "opened"


def test_a_moderator_who_asks_has_looked(secret: LiveMatch) -> None:
    last = len(timeline(secret.moderator, as_="seat:1")["lines"])
    assert looked(secret, "seat:1") == last
    total = len(timeline(secret.moderator)["lines"])
    knowledge(secret.moderator, limit=1)
    assert looked(secret, "moderator") == total
