"""Tournaments: roster, garnets, matches, settlement, standings, corrections."""

from random import Random

from tests.oracle.client import ANYBODY, ORGANISER, Match, Person, Scenario, create, tournament
from tests.oracle.scenarios.games import step
from tests.oracle.scenarios.rulings import DAY, EVEN, NOWHERE, WON

SHORT = {"tokens_to_win": 1}


def roster(scenario: Scenario) -> None:
    """Players and moderators, and who may not be one; garnets given and taken."""
    cup, people = tournament(scenario, garnets={"Ann": 3})
    send, once = scenario.send, {"Idempotency-Key": "p"}
    for body in ({"name": "Dee", "garnets": 2}, {"name": "Dee", "garnets": 2}, {"name": "Eve"}):
        send("POST", f"{cup}/players", ORGANISER, body, once)
    for name in ("ann", "", "A\u0000", "Mo", "x" * 65):
        send("POST", f"{cup}/players", ORGANISER, {"name": name})
        send("POST", f"{cup}/moderators", ORGANISER, {"name": name})
    prize = {"player": 0, "amount": 2, "reason": "a prize"}
    for body in (prize, prize, {**prize, "amount": -9}, {**prize, "player": 9}):
        send("POST", f"{cup}/garnets", ORGANISER, body, {"Idempotency-Key": f"g{body['player']}"})
    for amount in (-9, 0, 10**9, 1.5, "1"):
        send("POST", f"{cup}/garnets", ORGANISER, {**prize, "amount": amount})
    send("POST", f"{cup}/garnets", people["Ann"], prize)
    for who in (ORGANISER, people["Ann"], people["Mo"], ANYBODY):
        send("GET", f"{cup}/ledger", who)
        send("GET", cup, who)
    for name, players in (("Cup", ["Ann", "ann"]), ("", []), ("x" * 300, [])):
        send("POST", "/v1/tournaments", ORGANISER, {"name": name, "players": players})
    send("GET", "/v1/tournaments?name=cup", ANYBODY)
    send("GET", "/v1/tournaments?limit=0", ANYBODY)
    send("GET", f"/v1/tournaments/{NOWHERE}", ANYBODY)


def played(scenario: Scenario) -> None:
    """Matches in a tournament to their settlement, announcements, and a correction by two."""
    cup, people = tournament(scenario)
    first = of_cup(scenario, cup, people, ("Ann", "Ben"))
    of_cup(scenario, cup, people, ("Ben", "Cy"))
    create_refused(scenario, cup)
    for who in (people["Ann"], people["Cy"], people["Mo"]):
        first.get("/view", who)
        scenario.send("GET", f"{cup}/ledger", who)
    for number, form in ((1, "text/plain"), (1, "text/markdown"), (2, "*/*"), (9, "*/*")):
        path = f"{cup}/rounds/{number}/announcement"
        scenario.send("GET", path, ANYBODY, headers={"Accept": form})
    correct(scenario, cup, first, people["Mo"])
    scenario.send("GET", cup, ANYBODY)
    scenario.send("GET", f"/v1/matches?tournament={cup.rpartition('/')[2]}", ANYBODY)


def of_cup(
    scenario: Scenario, cup: str, people: dict[str, Person], seats: tuple[str, ...]
) -> Match:
    """A match of the tournament, played to its end and settled."""
    rng, name = Random(str(seats)), cup.rpartition("/")[2]
    match = create(scenario, "twelve-chips", seats, tournament=name, options=SHORT)
    given = f"{cup}/matches/{match.id}/moderators"
    for moderator in (0, 1, 9):
        scenario.send("POST", given, ORGANISER, {"moderator": moderator})
    match.post("/start", people["Mo"])
    while step(match, rng):
        pass
    scenario.once(cup, lambda now: all(one["result"] for one in now["matches"]))
    for who in (ANYBODY, people["Ann"], ORGANISER):
        scenario.send("GET", cup, who)
        scenario.send("GET", f"{cup}/ledger", who)
    return match


def create_refused(scenario: Scenario, cup: str) -> None:
    """Matches that the tournament does not allow."""
    name = cup.rpartition("/")[2]
    for seats, of in ((("Ann", "Zoe"), name), (("Ann", "Ben"), NOWHERE), (("Ann", "Ann"), name)):
        body = {"game": "twelve-chips", "seats": seats, "tournament": of}
        scenario.send("POST", "/v1/matches", ORGANISER, body)
    garnets = {"game": "together", "seats": ["Ann", "Ben", "Cy"], "options": {"garnets": [9, 0, 0]}}
    scenario.send("POST", "/v1/matches", ORGANISER, {**garnets, "tournament": name})


def correct(scenario: Scenario, cup: str, match: Match, judge: Person) -> None:
    """Corrections: withdrawn, lapsed, carried out."""
    send, path = scenario.send, f"{cup}/rulings"
    judge = Person(judge.name, send("POST", "/v1/keys/renew", judge).json()["key"])
    body = {"kind": "correct", "match": match.id, "reason": "Two boards were swapped."}
    for result in (WON, EVEN, None):
        asked = {**body, "result": result}
        send("POST", path, ORGANISER, asked)
        seen = {
            "If-Match": send("POST", path, ORGANISER, {**asked, "preview": True}).headers["etag"]
        }
        made = send("POST", path, ORGANISER, asked, seen).json()
        for who in (ANYBODY, judge, ORGANISER):
            send("GET", path, who)
        ruling = f"{path}/{made['ruling']}"
        send("POST", f"{ruling}/second", ORGANISER, {})
        if result == WON:
            send("DELETE", ruling, ORGANISER)
        if result == EVEN:
            scenario.service.pass_time(DAY + 1)
            scenario.once(path, lambda now: now["rulings"][-1]["status"] == "lapsed", ORGANISER)
        tag = send("POST", f"{ruling}/second", judge, {"preview": True}).headers.get("etag", '"x"')
        send("POST", f"{ruling}/second", judge, {}, {"If-Match": tag})
    send("POST", path, judge, {**body, "result": WON})
    send("POST", path, ORGANISER, {**body, "match": NOWHERE, "result": WON})
    for who in (ANYBODY, judge, ORGANISER):
        send("GET", path, who)
        send("GET", f"{cup}/ledger", who)


def garnets(scenario: Scenario) -> None:
    """A match into which garnets are brought, void: all goes back."""
    cup, people = tournament(scenario, players=["Ann", "Ben", "Cy", "Dee"], garnets={"Ann": 3})
    name = cup.rpartition("/")[2]
    seats, options = ("Ann", "Ben", "Cy", "Dee"), {"garnets": [2, 0, 0, 0]}
    match = create(scenario, "together", seats, tournament=name, options=options, rulings="single")
    scenario.once(f"{cup}/ledger", lambda now: len(now["postings"]) == 2, ORGANISER)
    scenario.send("GET", f"{cup}/ledger", people["Ann"])
    match.post("/start", ORGANISER)
    body = {"kind": "void", "reason": "Too late."}
    seen = match.post("/rulings", ORGANISER, {**body, "preview": True}).headers["etag"]
    match.post("/rulings", ORGANISER, body, {"If-Match": seen})
    scenario.once(f"{cup}/ledger", lambda now: len(now["postings"]) == 3, ORGANISER)
    scenario.send("GET", f"{cup}/ledger", ORGANISER)


SCENARIOS = {
    "tournaments/roster": roster,
    "tournaments/played": played,
    "tournaments/garnets": garnets,
}
