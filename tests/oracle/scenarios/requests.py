"""What all requests have in common: mistakes, repeats, conditions, methods, origins, limits."""

from typing import Any

from tests.oracle.client import ANYBODY, ORGANISER, Match, Person, Scenario, create, start
from tests.oracle.scenarios.rulings import NOWHERE, PAIR

BROWSER = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": "de"}
CROSS = {"Origin": "https://bots.example"}
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x"}

NO_JSON: dict[str, bytes] = {
    "nothing": b"", "half": b"{", "a form": b"type=play", "broken UTF-8": b'{"type":"\xff"}',
    "NaN": b'{"type":NaN}', "two values": b"{}{}", "deep": b"[" * 30_000, "large": b" " * 65_537,
    "a list": b"[1]", "null": b"null", "a text": b'"x"', "twice": b'{"type":"x","type":"y"}',
}  # fmt: skip

MATCHES: tuple[dict[str, Any], ...] = (
    {}, {"game": "chess", "seats": ["Ann", "Ben"]}, {"game": 1, "seats": "Ann"},
    {"game": "dollar-prize", "seats": []}, {"game": "dollar-prize", "seats": ["Ann"] * 40},
    {"game": "dollar-prize", "seats": ["Ann", "Ann"]}, {"game": "dollar-prize", "seats": [1, None]},
    {"game": "dollar-prize", "seats": ["Ann", "Ben\n"]},
    {"game": "dollar-prize", "seats": ["Ann", "Ben"], "dance": 1, "chanse": "server"},
    {"game": "dollar-prize", "seats": ["Ann", "Ben"], "chance": "luck", "clock": 5},
    {"game": "dollar-prize", "seats": ["Ann", "Ben"], "options": {"turn_second": 5}},
    {"game": "dollar-prize", "seats": ["Ann", "Ben"], "options": {"turn_seconds": -5}},
    {"game": "dollar-prize", "seats": ["Ann", "Ben"], "options": {"turn_seconds": 5.0}},
    {"game": "dollar-prize", "seats": ["Ann", "Ben"], "options": {"turn_seconds": 5.5}},
    {"game": "dollar-prize", "seats": ["Ann", "Ben"], "tournament": "x"},
    {"game": "dollar-prize", "seats": ["Ann", "Ben"], "protest_hours": 10**6},
    {"game": "dollar-prize", "seats": ["Ann", "Ben"], "record": "shut", "keys": "lost"},
)  # fmt: skip

ACTIONS: tuple[Any, ...] = (
    {"type": "choose_side"}, {"type": "choose_side", "side": "Heads"}, {"type": "fly"}, {"side": 1},
    {"type": "choose_side", "side": "heads", "x": 1}, {"type": "place", "coin": 1}, {"type": None},
    {"type": "choose_side", "side": ["heads"]}, {"type": "end_turn"}, {"type": "keep"},
)  # fmt: skip

READS = (
    "/view?at=x", "/view?at=-1", "/view?at=999", "/view?at=1&at=2", "/view?as=seat:9", "/view?as=x",
    "/view?as=moderator", "/view?x=1", "/view?att=1", "/events?after=-1", "/events?limit=0",
    "/events?limit=100000", "/events?after=999", "/events?wait=5", "/events?as=public&wait=6",
    "/events?as=public&after=0&limit=1&wait=5", "/timeline?limit=0", "/knowledge?facts=x",
    "/knowledge?facts=1", "/receipts", "/bundle", "/bundle?as=seat:9", "/checkpoint", "/notation",
    "/nothing", "/actions", "/reads", "/rulings/x", "/cases/x", "/keys", "/invitations",
)  # fmt: skip

LISTS = (
    "/v1/games", "/v1/games/dollar-prize", "/v1/games/chess", "/v1/matches", "/v1/matches?limit=1",
    "/v1/matches?game=dollar-prize&status=running&name=ann", "/v1/matches?status=void",
    "/v1/matches?status=dancing", "/v1/matches?limit=201", "/v1/matches?limit=x", "/v1/matches?x=1",
    "/v1/matches?tournament=x", "/v1/matches?after=x", f"/v1/matches/{NOWHERE}", "/v1/matches/x",
    "/v1/matches/0199AA00-0000-7000-8000-000000000000", "/v1/keys", "/v1/nowhere", "/healthz",
    "/readyz", "/v1/export/matches",
)  # fmt: skip

PAGES = (
    "/", "/play/{}", "/m/{}", "/table/{}", "/t/{}", "/verify", "/docs", "/schema", "/m/x", "/x",
)  # fmt: skip

CHECKPOINT = "/checkpoints"


def mistakes(scenario: Scenario) -> None:
    """Requests that are not understood, or not allowed."""
    match = start(scenario, "dollar-prize", PAIR, chance="manual")
    for path, who in (
        (f"{match.path}/actions", match.seats[0]), (f"{match.path}/draws", match.moderator),
        ("/v1/matches", ORGANISER), (f"{match.path}/rulings", match.moderator),
    ):  # fmt: skip
        for name, content in NO_JSON.items():
            scenario.send("POST", path, who, headers={"X-Body": name}, content=content)
    for body in MATCHES:
        scenario.send("POST", "/v1/matches", ORGANISER, body)
    for number, action in enumerate(ACTIONS):
        match.post("/actions", match.seats[number % 2], action)
    for draw in ({}, {"id": "x", "outcome": []}, {"id": "setup", "outcome": ["heads"]}, {"id": 1}):
        match.post("/draws", match.moderator, draw)
    match.post("/actions", match.seats[0], {"type": "choose_side", "side": "heads"})
    for outcome in (["heads"], ["heads"] * 4 + ["edge"], [["heads"]] * 5, ["tails"] * 5):
        match.post("/draws", match.moderator, {"id": "setup", "outcome": outcome})
    for path in READS:
        for who in (ANYBODY, match.seats[0]):
            match.get(path, who)
    match.post(CHECKPOINT, match.moderator)
    match.get("/checkpoint", match.moderator)
    match.get("/bundle", match.moderator)
    match.get("/receipts", match.seats[0])
    match.get("/receipts?after=1&limit=1", match.seats[1])


def conditions(scenario: Scenario) -> None:
    """Repeats under an idempotency key, `If-Match` and `If-None-Match`."""
    body, once = {"game": "dollar-prize", "seats": list(PAIR)}, {"Idempotency-Key": "m"}
    for creation in (body, body, {**body, "seats": ["Ann", "Cy"]}):
        scenario.send("POST", "/v1/matches", ORGANISER, creation, once)
    for key in ("", "x" * 256, "a b", "a\tb"):
        scenario.send("POST", "/v1/matches", ORGANISER, body, {"Idempotency-Key": key})
    match = create(scenario, "dollar-prize", PAIR)
    seat, action = match.seats[0], {"type": "choose_side", "side": "heads"}
    for _ in range(2):
        match.post("/start", match.moderator)
    match.post("/actions", seat, action, {"Idempotency-Key": "a", "If-Match": '"seat:0.1"'})
    match.post("/actions", seat, action, {"Idempotency-Key": "a", "If-Match": "nonsense"})
    tag = match.get("/view", seat).headers["etag"]
    for sent in (action, action, {"type": "end_turn"}):
        match.post("/actions", seat, sent, {"Idempotency-Key": "b", "If-Match": tag})
    match.post("/actions", seat, {"type": "end_turn"}, {"Idempotency-Key": "a"})
    match.post("/actions", match.seats[1], {"type": "end_turn"}, {"Idempotency-Key": "a"})
    for what in ("/view", "/events", "/view?as=public", "", "/view?as=public&at=3"):
        tag = match.get(what, seat).headers.get("etag", '"none"')
        match.get(what, seat, {"If-None-Match": tag})
        match.get(what, seat, {"If-None-Match": f'"x", {tag}'})
        match.get(what, seat, {"If-None-Match": '"x"'})


def methods(scenario: Scenario) -> None:
    """HEAD, OPTIONS, wrong methods, other origins, error pages; lists and pages."""
    match = start(scenario, "dollar-prize", PAIR)
    scenario.once("/v1/matches", lambda now: now["matches"][0]["status"] == "running")
    for what in ("", "/view", "/events", "/view?at=999", "/stream", "/actions"):
        scenario.send("HEAD", match.path + what, match.seats[0])
        for method in ("OPTIONS", "PUT", "PATCH", "DELETE"):
            scenario.send(method, match.path + what, ANYBODY)
        for origin in (CROSS, {"Origin": "https://elsewhere.example"}):
            if what != "/stream":
                match.get(what, ANYBODY, origin)
            scenario.send("OPTIONS", match.path + what, ANYBODY, headers=origin | PREFLIGHT)
    match.post("/actions", match.seats[0], {"type": "end_turn"}, CROSS)
    for path in LISTS:
        for who in (ANYBODY, ORGANISER):
            scenario.send("GET", path, who)
        scenario.send("HEAD", path, ANYBODY)
    for page in PAGES:
        for form in (BROWSER, {"Accept": "*/*"}):
            page_of(scenario, page.format(match.id), form)
    for key in ("x", "arb_s0_zz_00", "arb_org_" + "0" * 64):
        match.get("/view", Person(f"somebody with {key[:8]!r}", key))
    match.get("/view", ANYBODY, {"Authorization": "Basic eDp5"})
    match.get("/view", match.seats[0], {"Accept-Encoding": "gzip"})


def page_of(scenario: Scenario, path: str, form: dict[str, str]) -> None:
    """What a page says of itself: its head, and of an error the text."""
    answer = scenario.service.http.get(path, headers=form)
    kept = {n: v for n, v in answer.headers.items() if n in PAGE_HEADERS}
    body = scenario.body(answer, ANYBODY) if answer.is_error else []
    lines = scenario.names.lines({"status": answer.status_code, **kept})
    scenario.record(f"GET {path} for {form['Accept'][:9]}", [*lines, *body])


PAGE_HEADERS = {"content-type", "cache-control", "vary", "location", "content-language", "link"}


def limits(scenario: Scenario) -> None:
    """Too many requests of one address."""
    for _ in range(3):
        scenario.send("GET", "/v1/matches", Person("a stranger", "arb_org_" + "1" * 64))
    for _ in range(7):
        scenario.send("GET", "/v1/games/dollar-prize", ANYBODY)
    scenario.send("GET", "/v1/matches", ORGANISER)


def exports(scenario: Scenario) -> None:
    """Matches in an export, and bundles of a match that is over."""
    for record in ("opened_at_end", "closed"):
        match = start(scenario, "dollar-prize", PAIR, record=record, rulings="single")
        match.post("/actions", match.seats[0], {"type": "choose_side", "side": "heads"})
        ended(match)
        for who in (*match.audiences, ORGANISER):
            for what in ("/bundle", "/receipts", "/notation", "/checkpoint", "/stream?after=0"):
                match.get(what, who)
            for audience in ("public", "seat:1", "moderator"):
                match.get(f"/bundle?as={audience}", who)
    scenario.once("/v1/matches?status=ended", lambda now: len(now["matches"]) == 2)
    for query in ("", "?status=ended&game=dollar-prize", "?status=x", f"?after={match.id}"):
        scenario.send("GET", f"/v1/export/matches{query}", ORGANISER)
    for who in (match.moderator, ANYBODY):
        scenario.send("GET", "/v1/export/matches", who)


def ended(match: Match) -> None:
    """The match ends by a ruling of one person."""
    body = {"kind": "result", "because": "forfeit", "reason": "Ben has left."}
    result = {"winners": [0], "losers": [1], "shared": False, "scores": [1, 0]}
    seen = match.post("/rulings", ORGANISER, {**body, "result": result, "preview": True})
    tag = {"If-Match": seen.headers["etag"]}
    match.post("/rulings", ORGANISER, {**body, "result": result}, tag)


SCENARIOS = {
    "requests/mistakes": mistakes,
    "requests/conditions": conditions,
    "requests/methods": methods,
    "requests/limits": limits,
    "requests/exports": exports,
}
