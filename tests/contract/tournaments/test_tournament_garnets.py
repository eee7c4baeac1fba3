"""Garnets over HTTP: who may see which, and none is given or spent twice."""

import pytest

from domain.tournament.commands import PostGarnets
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, at, cup
from tests.support.servers.live_server import Json, Live
from tests.support.tables.correction_tables import CUP, after, refusal


@pytest.fixture
def spring(live: Live) -> LiveCup:
    return cup(live, name="Spring Cup", garnets={"Ann": 5, "Ben": 2})


def test_the_organiser_sees_the_whole_ledger(spring: LiveCup) -> None:
    spring.post("garnets", {"player": 1, "amount": -1, "reason": "a fine"})
    ledger = spring.ledger().json()
    assert ledger["balances"] == [
        {"account": "house", "player": None, "match": None, "garnets": -6},
        {"account": "player", "player": 0, "match": None, "garnets": 5},
        {"account": "player", "player": 1, "match": None, "garnets": 1},
    ]
    assert sum(balance["garnets"] for balance in ledger["balances"]) == 0
    assert [posting["seq"] for posting in ledger["postings"]] == [1, 2, 3]
    assert ledger["postings"][2] | {"at": None} == {
        "seq": 3, "at": None, "player": 1, "debit": "player", "credit": "house", "amount": 1,
        "reason": "a fine", "match": None, "reverses": None, "by": None,
    }  # fmt: skip


def test_garnets_by_hand_name_who_gave_them_to_the_player_and_to_organisers(
    live: Live, spring: LiveCup
) -> None:
    live.judge.post(f"{spring.path}/garnets", {"player": 1, "amount": 1, "reason": "a prize"})
    for client in (None, spring.player(1)):
        *_, last = spring.ledger(client).json()["postings"]
        assert (last["reason"], last["by"]) == ("a prize", "Judge Judy")


def test_a_player_sees_their_own_garnets_and_postings(spring: LiveCup) -> None:
    ledger = spring.ledger(spring.player(1)).json()
    assert [(b["player"], b["garnets"]) for b in ledger["balances"]] == [(1, 2)]
    assert [(p["seq"], p["player"]) for p in ledger["postings"]] == [(1, 1)]
    assert spring.ledger(spring.player(2)).json() == {"balances": [], "postings": [], "next": None}


def test_a_moderator_who_plays_sees_the_players_view(spring: LiveCup) -> None:
    """The other players' balances are private."""
    spring.post("garnets", {"player": 2, "amount": 1, "reason": "x"})
    ledger = spring.ledger(spring.moderator(1)).content
    assert ledger == spring.ledger(spring.player(2)).content
    assert [p["player"] for p in spring.ledger(spring.moderator(1)).json()["postings"]] == [2]


def test_the_ledger_is_paged_in_its_readers_own_count(spring: LiveCup) -> None:
    for n in range(4):
        spring.post("garnets", {"player": n % 2, "amount": 1, "reason": str(n)})
    for client, count in ((None, 6), (spring.player(0), 3)):
        seen: list[Json] = []
        after: int | None = 0
        while after is not None:
            page = spring.ledger(client, after=after, limit=2).json()
            assert 0 < len(page["postings"]) <= 2
            seen += page["postings"]
            after = page["next"]
        assert [posting["seq"] for posting in seen] == list(range(1, count + 1))
        assert spring.ledger(client, after=count).json()["postings"] == []
        beyond = spring.ledger(client, after=count + 1)
        assert_problem(beyond, 409, "history_went_back")
        assert beyond.json()["errors"][0]["name"] == "after"


# The reason of garnets that are given by hand.


@pytest.mark.parametrize(
    ("reason", "status", "code"),
    [
        *((text, 422, "garnets_not_allowed") for text in ("\n", "a\tb", "\x00", "\u200b")),
        *((text, 422, "garnets_not_allowed") for text in ("a\u202eb", "\u2028")),
        *((text, 400, "wrong_shape") for text in ("", "x" * 201)),
    ],
)
def test_a_reason_is_1_to_200_characters_that_can_be_read(
    spring: LiveCup, reason: str, status: int, code: str
) -> None:
    before = spring.ledger().content
    answer = spring.post("garnets", {"player": 0, "amount": 1, "reason": reason})
    assert_problem(answer, status, code)
    assert spring.ledger().content == before
    assert refusal(after(CUP), PostGarnets(0, 1, reason)) == "garnets_not_allowed"


@pytest.mark.parametrize("reason", ["x", "🎲" * 200, "erster Preis, 第一"])
def test_a_reason_is_shown_as_it_was_written(spring: LiveCup, reason: str) -> None:
    answer = spring.post("garnets", {"player": 0, "amount": 1, "reason": reason})
    assert answer.status_code == 201
    assert spring.ledger(spring.player(0)).json()["postings"][-1]["reason"] == reason


# Secrets.


def test_no_public_byte_depends_on_garnets(live: Live) -> None:
    """Two tournaments, alike but for what their players hold and have received."""
    poor, rich = cup(live), cup(live, garnets={"Ann": 9, "Cy": 1})
    for n in range(3):
        rich.post("garnets", {"player": 0, "amount": n + 1, "reason": "x"}, f"key-{n}")
    received = []
    for one in (poor, rich):
        match = one.match()
        one.give(match)
        one.post("players", {"name": "Di"})
        match.moderator.start()
        answer = live.anyone.get(one.path)
        row = next(
            row
            for row in live.anyone.get("/v1/tournaments").json()["tournaments"]
            if row["id"] == one.id
        )
        headers = {k: v for k, v in answer.headers.items() if k != "date"}
        received.append(
            (
                hidden(answer.text, one.id, match.id, answer.json()["started"]),
                headers,
                row | hide(row),
            )
        )
    assert received[0] == received[1]


def hidden(text: str, *ids: str) -> str:
    for one in ids:
        text = text.replace(one, "-" * len(one))
    return text


def hide(row: Json) -> Json:
    return dict.fromkeys(("id", "created"))


# A game that is played for garnets.


def test_a_sealed_phase_changes_nothing_in_the_tournament(live: Live) -> None:
    """Who has submitted, and who has paid, shows neither in public nor in anyone's ledger."""
    spring = cup(live, players=["Ann", "Ben", "Cy", "Di"], garnets={"Ann": 5})
    match = spring.match(
        ("Ann", "Ben", "Cy", "Di"), game="together", options={"garnets": [2, 0, 0, 0]}
    )
    match.moderator.start()

    def seen() -> list[bytes]:
        clients = [None, spring.moderator(), *map(spring.player, range(4))]
        return [live.anyone.get(spring.path).content, *(spring.ledger(c).content for c in clients)]

    before = seen()
    body = {"type": "submit", "round": 1, "a": [1], "b": [3, 3, 3], "pay_garnet": True}
    assert at(match, spring.player(0)).act(body).json()["receipt"]["valid"]
    assert seen() == before
