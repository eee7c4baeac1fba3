"""Matches of every registered game, played from their menus to their end."""

from random import Random
from typing import Any

from tests.oracle.client import ANYBODY, ORGANISER, Json, Match, Scenario, create

NAMES = ("Ann", "Ben", "Cy", "Dee", "Eve", "Finn", "Gus", "Hal")
MOST_STEPS = 1_000
READ_AT = (0, 1, 4, 12, 40)
"""The numbers of steps after which everything is read."""

PAGED = "/events?after={}&limit=15", "/timeline?after={}&limit=15", "/knowledge?limit=8"
OF_SEATS = "/actions", "/receipts?limit=5"
AT_END = (
    "/events?limit=1000", "/timeline?limit=1000", "/notation", "/cases", "/rulings", "/reads",
    "/stream?after=0", "/bundle",
)  # fmt: skip

OPTIONS: dict[str, Json] = {
    "twelve-chips": {"tokens_to_win": 1},
    "liars-dice": {"dice": 2},
    "grouping-bw": {"chips": [12, 12]},
}
"""Options with which a match of a game is short, where its own are not."""


def play(scenario: Scenario, game: Json, chance: str, seats: int, clock: str = "none") -> Match:
    """A whole match, which is read before and after its start, now and then, and at its end."""
    rng = Random(scenario.name)
    match = create(
        scenario, game["id"], NAMES[:seats], chance=chance, clock=clock,
        options=OPTIONS.get(game["id"], {}), record=game["records"][0],
    )  # fmt: skip
    read(match)
    if chance == "server":
        match.post("/client-seeds", match.seats[0], {"seed": "dice"})
    match.post("/start", match.moderator)
    for number in range(MOST_STEPS):
        if number in READ_AT:
            read(match)
        if not step(match, rng, number):
            break
    read(match)
    read_at_end(match)
    return match


def step(match: Match, rng: Random, number: int = 1) -> bool:
    """One thing that the match waits for; False if it is over."""
    seen = match.seen(match.moderator)
    if seen["status"] != "running":
        return False
    awaiting = seen["awaiting"]
    if awaiting["draw"] is not None:
        enter(match, awaiting["draw"], rng)
        return True
    menus = [(who, match.seen(who, "/actions")) for who in match.seats]
    offered = [
        (who, entry) for who, menu in menus if menu["awaited"] and not menu["submitted"]
        for entry in menu["actions"]
    ]  # fmt: skip
    if offered:
        who, entry = rng.choice(offered)
        key = {"Idempotency-Key": f"key-{number}"} if number % 3 == 0 else None
        match.post("/actions", who, chosen(entry, rng), key)
    elif awaiting["deadline"] is not None:
        pass_deadline(match, awaiting["deadline"])
    else:
        match.post("/close-phase", match.moderator)
    return True


def pass_deadline(match: Match, deadline: str) -> None:
    """Waits, in virtual time, until the deadline of a match has passed."""
    match.scenario.service.pass_until(deadline)
    match.scenario.once(match.path + "/view", lambda now: now["awaiting"]["deadline"] != deadline)


def chosen(entry: Json, rng: Random) -> Json:
    """An action of an entry of a menu."""
    action: Json = dict(rng.choice(entry["examples"]))
    for name, field in entry["schema"]["properties"].items() if entry["exact"] else ():
        if name in action and "enum" in field:
            action[name] = rng.choice(field["enum"])
    return action


def enter(match: Match, draw: Json, rng: Random) -> Any:
    """The moderator enters what has come out."""
    outcome = [fallen(part, rng) for part in draw["parts"]]
    return match.post("/draws", match.moderator, {"id": draw["id"], "outcome": outcome})


def fallen(part: Json, rng: Random) -> Any:
    if part["kind"] == "shuffle":
        return rng.sample(part["items"], len(part["items"]))
    return (
        rng.choice(("heads", "tails")) if part["kind"] == "flip" else rng.randint(1, part["sides"])
    )


def read(match: Match) -> None:
    """What anyone can read of a match now: of long lists what came last."""
    match.get("", ANYBODY)
    for who in match.audiences:
        seq = match.get("/view", who).json().get("seq", 0)
        for what in (*PAGED, *(OF_SEATS if who in match.seats else ())):
            match.get(what.format(max(0, seq - 15)), who)


def read_at_end(match: Match) -> None:
    """What can be read of a match that is over, in every form."""
    for who in (*match.audiences[:2], match.moderator, ORGANISER):
        for what in AT_END:
            match.get(what, who)
    for audience in ("public", "seat:0", "moderator"):
        for what in ("view?at=5&", "view?", "events?limit=5&"):
            match.get(f"/{what}as={audience}", ANYBODY)
    match.get("/stream?after=3", ANYBODY, {"Accept": "application/x-ndjson"})
    match.get("/checkpoint", ANYBODY)
