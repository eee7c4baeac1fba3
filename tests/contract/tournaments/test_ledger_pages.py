"""Pages of the ledger: where the last one ends, and that a page and its balances are of one
moment."""

from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live


def test_the_last_page_says_so_whatever_others_have_received(live: Live) -> None:
    spring = cup(live, garnets={"Ann": 5, "Ben": 2})
    for n in range(3):
        spring.post("garnets", {"player": 1, "amount": 1, "reason": f"prize {n}"})
    own = {0: 1, 1: 4, None: 5}
    for number, count in own.items():
        client = None if number is None else spring.player(number)
        for limit in (count, count + 1, 1_000):
            assert spring.ledger(client, limit=limit).json()["next"] is None
        assert spring.ledger(client, after=count - 1, limit=1).json()["next"] is None
        if count > 1:
            page = spring.ledger(client, after=count - 2, limit=1).json()
            assert (page["next"], len(page["postings"])) == (count - 1, 1)


def test_balances_are_the_sums_of_the_postings(live: Live) -> None:
    spring = cup(live, garnets={"Ann": 5})
    for amount in (3, -2, 7):
        spring.post("garnets", {"player": 0, "amount": amount, "reason": "x"})
        ledger = spring.ledger(spring.player(0)).json()
        signed = [p["amount"] * (1 if p["credit"] == "player" else -1) for p in ledger["postings"]]
        assert [balance["garnets"] for balance in ledger["balances"]] == [sum(signed)]
