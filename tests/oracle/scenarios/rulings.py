"""Rulings of every kind: previewed, pending, seconded, consented to, withdrawn, lapsed; rewinds."""

from random import Random
from typing import Any

from tests.oracle.client import ANYBODY, ORGANISER, Json, Match, Person, Scenario, create, start
from tests.oracle.scenarios.games import pass_deadline, read, step

EVEN: Json = {"winners": [0, 1], "losers": [], "shared": True, "scores": [0, 0]}
WON: Json = {"winners": [0], "losers": [1], "shared": False, "scores": [1, 0]}
DAY, HOUR = 24 * 3600, 3600
NOWHERE = "0199aa00-0000-4000-8000-000000000000"
PAIR = ("Ann", "Ben")


def rule(match: Match, who: Person, kind: str, headers: Any = None, **more: Any) -> Any:
    body = {"kind": kind, "reason": "The judges have decided.", **more}
    return match.post("/rulings", who, body, headers)


def previewed(match: Match, who: Person, kind: str, **more: Any) -> str:
    """A ruling after its preview; its id."""
    seen = rule(match, who, kind, preview=True, **more).headers.get("etag", '"none"')
    made = rule(match, who, kind, {"If-Match": seen}, **more)
    for audience in (*match.audiences, ORGANISER):
        match.get("/rulings", audience)
    return str(made.json().get("ruling"))


def second(match: Match, who: Person, ruling: str) -> None:
    """The second of another person, after its preview."""
    path = f"/rulings/{ruling}/second"
    seen = match.post(path, who, {"preview": True}).headers.get("etag", '"none"')
    match.post(path, who, {}, {"If-Match": seen})


def end(match: Match) -> None:
    """What everyone sees of a match in which something was ruled."""
    read(match)
    for who in (*match.audiences, ORGANISER):
        match.get("/rulings", who)
        match.get("/timeline?limit=1000", who)


def other_judge(match: Match) -> Person:
    """Another moderator, whose key is theirs."""
    made = match.post("/keys", ORGANISER, {"role": "moderator", "name": "Eve"})
    given = Person("moderator Eve", made.json()["key"])
    renewed = match.scenario.send("POST", "/v1/keys/renew", given)
    return Person(given.name, renewed.json()["key"])


def simple(scenario: Scenario) -> None:
    """What one person rules at once, and what is refused."""
    match = start(scenario, "dollar-prize", PAIR, clock="rules", options={"turn_seconds": 60})
    moderator, key = match.moderator, {"Idempotency-Key": "once"}
    rule(match, moderator, "extend", seconds=30)
    rule(match, moderator, "pause", key)
    rule(match, moderator, "pause", key)
    rule(match, moderator, "resume", key)
    rule(match, moderator, "pause")
    rule(match, moderator, "extend", seconds=5)
    rule(match, moderator, "extend", deadline="2026-02-01T00:00:00Z")
    match.post("/actions", match.seats[0], {"type": "choose_side", "side": "heads"})
    rule(match, ORGANISER, "resume", rule="4.2")
    rule(match, moderator, "extend", deadline="2026-02-01T00:00:00Z")
    rule(match, moderator, "extend", deadline="2026-01-01T00:00:00Z")
    for to in ("public", "seat:0", "seat:1", "sealed", "seat:7"):
        rule(match, moderator, "note", to=to, text="Whole chips.", severity="clarification")
    last = rule(match, moderator, "note", to="public", text="No.", severity="warning").json()
    appeal = {"to": "public", "text": "It stands.", "severity": "uphold"}
    rule(match, moderator, "note", appeals=last["ruling"], **appeal)
    rule(match, ORGANISER, "note", appeals=last["ruling"], **appeal)
    rule(match, ORGANISER, "note", appeals=NOWHERE, **appeal)
    rule(match, moderator, "confirm")
    rule(match, match.seats[0], "pause")
    rule(match, ANYBODY, "pause")
    rule(match, moderator, "extend", seconds=1, deadline="2026-02-01T00:00:00Z")
    rule(match, moderator, "dance")
    deadline = match.seen(match.moderator)["awaiting"]["deadline"]
    pass_deadline(match, deadline)
    end(match)


def of_two(scenario: Scenario) -> None:
    """Rulings that take two people, or the consent of all seats."""
    match = start(scenario, "twelve-chips", PAIR)
    eve = other_judge(match)
    rule(match, match.moderator, "void")
    rule(match, match.moderator, "void", {"If-Match": '"rulings.1"'})
    gone = previewed(match, match.moderator, "void")
    match.delete(f"/rulings/{gone}", match.moderator)
    match.delete(f"/rulings/{gone}", match.moderator)
    second(match, eve, gone)
    seat = previewed(match, match.moderator, "replace_seat", seat=1, name="Zoe", ask_seats=True)
    for who in (match.seats[0], match.seats[0], match.seats[1]):
        match.post(f"/rulings/{seat}/consent", who, None, {"Idempotency-Key": "yes"})
    match.get("/view", match.seats[1])
    previewed(match, match.moderator, "replace_seat", seat=0, name="Zoe")
    previewed(match, match.moderator, "replace_seat", seat=5, name="Yan")
    lapsing = previewed(match, ORGANISER, "result", result=WON, because="forfeit")
    second(match, ORGANISER, lapsing)
    scenario.service.pass_time(DAY + 1)
    scenario.once(f"{match.path}/rulings", lambda now: lapsed(now, lapsing), ORGANISER)
    second(match, eve, lapsing)
    previewed(match, ORGANISER, "result", result={**WON, "scores": [1]}, because="forfeit")
    result = previewed(match, ORGANISER, "result", result=EVEN, because="adjudicated")
    match.post("/actions", match.seats[0], {"type": "end_turn"})
    second(match, eve, result)
    previewed(match, match.moderator, "void", replaced_by=NOWHERE)
    end(match)


def lapsed(now: Any, ruling: str) -> bool:
    return any(r["ruling"] == ruling and r["status"] == "lapsed" for r in now["rulings"])


def alone(scenario: Scenario) -> None:
    """In a match of one judge: a seat is replaced with a new key, and the match is void."""
    other = create(scenario, "dollar-prize", PAIR)
    match = start(scenario, "dollar-prize", PAIR, rulings="single")
    previewed(match, ORGANISER, "replace_seat", seat=1, name="Ann")
    seen = rule(match, ORGANISER, "replace_seat", preview=True, seat=1, name="Zoe").headers["etag"]
    made = rule(match, ORGANISER, "replace_seat", {"If-Match": seen}, seat=1, name="Zoe").json()
    zoe = Person("seat:1 Zoe", made.get("key"))
    for who in (zoe, match.seats[1]):
        match.get("/view", who)
        match.get("/events", who)
    match.post("/actions", zoe, {"type": "end_turn"})
    match.post("/actions", match.seats[0], {"type": "choose_side", "side": "tails"})
    previewed(match, match.moderator, "void", replaced_by=other.id)
    end(match)
    previewed(other, other.moderator, "void")


def provisional(scenario: Scenario) -> None:
    """A result that is provisional: replaced, confirmed; of another match the window ends."""
    for way in ("confirmed", "window"):
        match = start(scenario, "liars-dice", PAIR, protest_hours=24, rulings="single")
        previewed(match, ORGANISER, "result", result=WON, because="forfeit")
        end(match)
        match.post("/actions", match.seats[0], {"type": "challenge"})
        if way == "confirmed":
            previewed(match, ORGANISER, "result", result=EVEN, because="adjudicated")
            rule(match, match.moderator, "confirm")
            rule(match, ORGANISER, "confirm")
        else:
            scenario.service.pass_time(24 * HOUR)
            scenario.once(match.path + "/view", lambda now: now["result"]["final"])
        rule(match, ORGANISER, "note", to="public", text="Late.", severity="warning")
        match.get("/stream?after=0", ANYBODY)
        end(match)


def rewinds(scenario: Scenario) -> None:
    """Rewinds: a draw by hand again, by redraw and with later inputs; seeds drawn anew."""
    for chance in ("manual", "server"):
        rng, match = Random(chance), start(scenario, "dollar-prize", PAIR, chance=chance)
        eve = other_judge(match)
        for number in range(9):
            step(match, rng, number)
        settled = match.number("match.draw-settled.1", 0)
        back = previewed(match, match.moderator, "rewind", before=settled)
        second(match, eve, back)
        match.post("/client-seeds", match.seats[1], {"seed": "again"})
        rule(match, match.moderator, "resume")
        for number in range(10, 19):
            step(match, rng, number)
        last = match.number("match.draw-settled.1")
        later = {"before": last, "reapply": "while_legal"}
        if chance == "manual":
            was = next(e["data"] for e in match.events(match.moderator) if e["seq"] == last)
            other = ["tails" if one == "heads" else "heads" for one in was["outcome"]]
            later["changes"] = [{"redraw": {"id": was["id"], "outcome": other}}]
        back = previewed(match, match.moderator, "rewind", **later)
        second(match, eve, back)
        rule(match, match.moderator, "resume")
        for wrong in ({"before": 1}, {"before": 10**6}, {}, {"before": 5, "changes": [{}]}):
            rule(match, match.moderator, "rewind", preview=True, **wrong)
        for number in range(20, 24):
            step(match, rng, number)
        match.post("/actions", match.seats[0], {"type": "keep"}, {"Idempotency-Key": "key-0"})
        end(match)


def sealed(scenario: Scenario) -> None:
    """Submissions of a sealed phase: replaced, struck and admitted while it is open."""
    rng = Random("sealed")
    match = start(scenario, "together", ("Ann", "Ben", "Cy", "Dee"))
    for number in range(3):
        step(match, rng, number)
    eve = other_judge(match)
    sent = match.number("match.action-received.1", 0)
    back = previewed(match, match.moderator, "rewind", changes=[{"strike": sent}])
    second(match, eve, back)
    for who in match.seats:
        match.get("/actions", who)
    match.post("/close-phase", match.moderator, None, {"If-Match": '"moderator.1"'})
    match.post("/close-phase", match.moderator)
    late = {"type": "submit", "round": 1, "a": [], "b": []}
    match.post("/actions", match.seats[3], late)
    admitted = {"admit": match.number("match.action-received.1")}
    previewed(match, match.moderator, "rewind", changes=[admitted])
    end(match)


SCENARIOS = {
    "rulings/simple": simple,
    "rulings/of two": of_two,
    "rulings/alone": alone,
    "rulings/provisional": provisional,
    "rulings/rewinds": rewinds,
    "rulings/sealed": sealed,
}
