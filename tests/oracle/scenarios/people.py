"""Keys, invitations, tickets, cases, notices and the account of reads."""

from tests.oracle.client import ANYBODY, ORGANISER, Match, Person, Scenario, create, start
from tests.oracle.scenarios.rulings import DAY, NOWHERE, PAIR, end, other_judge, rule

SHA = "9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015"
URL = "https://bots.example/notices"


def keys(scenario: Scenario) -> None:
    """Keys of a match: issued, used, listed and ended."""
    match = start(scenario, "dollar-prize", PAIR)
    once, body = {"Idempotency-Key": "k"}, {"role": "seat:0", "name": "Ann"}
    issued = match.post("/keys", ORGANISER, body, once).json()
    match.post("/keys", ORGANISER, body, once)
    match.post("/keys", ORGANISER, {**body, "name": "Bob"}, once)
    ann = Person("seat:0 again", issued["key"])
    match.post("/actions", ann, {"type": "choose_side", "side": "heads"})
    eve = other_judge(match)
    for role, name in (("seat:7", "A"), ("player:1", "A"), ("moderator", ""), ("seat:1", "Ann")):
        match.post("/keys", ORGANISER, {"role": role, "name": name})
    match.post("/keys", match.moderator, body)
    match.get("/view", eve)
    for who in (ORGANISER, match.moderator, match.seats[0]):
        match.get("/keys", who)
    for _ in range(2):
        match.delete(f"/keys/{issued['id']}", ORGANISER)
    match.delete("/keys/0000000000000000", ORGANISER)
    match.get("/view", ann)
    match.get("/reads", match.moderator)
    end(match)


def invitations(scenario: Scenario) -> None:
    """Links by which seats get their keys."""
    match = create(scenario, "dollar-prize", PAIR, keys="invitations")
    once = {"Idempotency-Key": "drawn-at-random-1"}
    made = [match.post("/invitations", ORGANISER, {"seat": seat}).json() for seat in (0, 1, 1)]
    match.post("/invitations", ORGANISER, {"seat": 9})
    match.post("/invitations", ORGANISER, {"seat": 0, "expires_in": 1})
    match.post("/invitations", match.moderator, {"seat": 0})
    tokens = [one["link"].partition("#")[2] for one in made]
    match.post("/invitations/accept", ANYBODY, {"token": tokens[0]})
    accepted = match.post("/invitations/accept", ANYBODY, {"token": tokens[0]}, once).json()
    match.post("/invitations/accept", ANYBODY, {"token": tokens[0]}, once)
    other = {"Idempotency-Key": "drawn-at-random-2"}
    match.post("/invitations/accept", ANYBODY, {"token": tokens[0]}, other)
    match.post("/invitations/accept", ANYBODY, {"token": "nothing"}, other)
    match.delete(f"/invitations/{made[1]['id']}", match.moderator)
    match.post("/invitations/accept", ANYBODY, {"token": tokens[1]}, other)
    scenario.service.pass_time(8 * DAY)
    match.post("/invitations/accept", ANYBODY, {"token": tokens[2]}, other)
    match.get("/invitations", match.moderator)
    match.post("/start", match.moderator)
    match.get("/view", Person("seat:0 invited", accepted["key"]))
    match.get("/keys", ORGANISER)
    match.get("/events", match.moderator)


def tickets(scenario: Scenario) -> None:
    """Tickets to streams, and streams that stay open."""
    match = start(scenario, "dollar-prize", PAIR)
    for who, body in (
        (match.seats[0], None), (match.seats[0], {"as": "public"}), (ANYBODY, {}),
        (match.seats[0], {"as": "seat:1"}), (match.moderator, {"as": "moderator"}),
        (match.seats[0], {"for": "dance"}), (ORGANISER, {}),
    ):  # fmt: skip
        made = match.post("/stream-tickets", who, body).json()
        if "ticket" in made:
            seen = match.seen(who, f"/view?as={body['as']}" if body else "/view")
            match_path = f"{match.path}/stream?after=0&ticket={made['ticket']}"
            scenario.follow(match_path, ANYBODY, seen["seq"])
    match.get("/stream?ticket=nothing", ANYBODY)
    last = match.seen(ANYBODY)["seq"]
    for form in ("text/event-stream", "application/x-ndjson"):
        scenario.follow(f"{match.path}/stream?after=1", ANYBODY, last, {"Accept": form})
    scenario.follow(f"{match.path}/stream", ANYBODY, last, {"Last-Event-ID": "2"})
    for wrong in (f"after={last + 1}", "after=x", "as=seat:0", "as=nobody"):
        match.get(f"/stream?{wrong}", ANYBODY)


def cases(scenario: Scenario) -> None:
    """Cases: opened by everyone who may, answered, closed, appealed, decided and published."""
    match = start(scenario, "dollar-prize", PAIR)
    first, other = match.seats
    match.post("/actions", first, {"type": "choose_side", "side": "heads"})
    once, body = {"Idempotency-Key": "c"}, {"says": "The coin had left the table.", "about": 3}
    case = match.post("/cases", first, body, once).json()["case"]
    for again in (body, {"says": "Another one."}):
        match.post("/cases", first, again, once)
    path, eve = f"/cases/{case}", other_judge(match)
    everybody = (*match.audiences, ORGANISER)
    shown(match, path, *everybody)
    match.post(f"{path}/parties", first, {"seat": 1})
    match.post(f"{path}/parties", match.moderator, {"seat": 1})
    match.post(f"{path}/parties", match.moderator, {"seat": 8})
    file = {"sha256": SHA, "name": "table.jpg"}
    said = {"says": "It lay on the table.", "attachment": file}
    for _ in range(2):
        match.post(f"{path}/statements", other, said, once)
    match.post(f"{path}/statements", match.moderator, {"says": ""})
    match.post(f"{path}/statements", ANYBODY, {"says": "Hm."})
    match.post(f"{path}/appeal", first, {"says": "Too early."})
    match.post(f"{path}/close", first, {"note": "No."})
    for _ in range(2):
        match.post(f"{path}/close", match.moderator, {"note": "It counts as it lay."})
    shown(match, path, *everybody)
    for _ in range(2):
        match.post(f"{path}/appeal", other, {"says": "Nobody asked the witness."})
    match.post(f"{path}/close", match.moderator, {"note": "It stands."})
    note = {"to": "public", "text": "Toss again.", "severity": "clarification", "case": case}
    rule(match, match.moderator, "note", **note)
    rule(match, eve, "note", **note)
    match.post(f"{path}/publish", match.moderator)
    match.post(f"{path}/publish", ORGANISER)
    shown(match, path, *everybody)
    late = match.post("/cases", match.moderator, {"says": "A glass fell."}).json()["case"]
    match.post(f"/cases/{late}/parties", match.moderator, {"seat": 0})
    match.post(f"/cases/{late}/close", match.moderator, {"note": "So it did."})
    scenario.service.pass_time(2 * DAY)
    match.post(f"/cases/{late}/appeal", first, {"says": "Too late."})
    shown(match, f"/cases/{NOWHERE}", first)
    for number in range(11):
        match.post("/cases", other, {"says": f"Case {number}"})
    end(match)


def shown(match: Match, path: str, *readers: Person) -> None:
    for who in readers:
        match.get("/cases", who)
        match.get(path, who)


def notices(scenario: Scenario) -> None:
    """Webhooks and calendars, registered and taken back."""
    match, send = start(scenario, "dollar-prize", PAIR), scenario.send
    once, seat = {"Idempotency-Key": "w"}, match.seats[0]
    for _ in range(2):
        made = send("POST", "/v1/webhooks", seat, {"url": URL}, once).json()
    for who, more in (
        (seat, {"seat": 1}), (seat, {"match": NOWHERE}), (ORGANISER, {}),
        (ORGANISER, {"match": match.id, "seat": 1}), (ANYBODY, {}),
        (seat, {"kinds": ["dance"]}), (seat, {"kinds": []}),
        (seat, {"url": "https://127.0.0.1/"}), (seat, {"url": "http://bots.example/"}),
        (seat, {"url": "mailto:ann@example.org"}), (seat, {"remind": 1}),
        (match.moderator, {"kinds": ["reminder"], "remind": 600}),
    ):  # fmt: skip
        send("POST", "/v1/webhooks", who, {"url": URL, **more})
    for who in (seat, match.seats[1], match.moderator, ORGANISER, ANYBODY):
        send("GET", "/v1/webhooks", who)
        send("GET", f"/v1/webhooks/{made['id']}/deliveries?limit=1", match.seats[1])
    send("POST", f"/v1/webhooks/{made['id']}/deliveries/none/redeliver", seat)
    for _ in range(2):
        send("DELETE", f"/v1/webhooks/{made['id']}", seat)
    for who, of in ((seat, {}), (ORGANISER, {"match": match.id}), (ORGANISER, {}), (ANYBODY, {})):
        calendar = send("POST", "/v1/calendars", who, of).json()
        if "link" in calendar:
            link = "/v1/calendar.ics?" + calendar["link"].partition("?")[2]
            uid = f"match-{match.id}"
            until_listed(scenario, link, uid)
            tag = send("GET", link, ANYBODY).headers["etag"]
            send("GET", link, ANYBODY, headers={"If-None-Match": tag})
            send("GET", "/v1/calendars", who)
            send("DELETE", f"/v1/calendars/{calendar['id']}", who)
            send("GET", link, ANYBODY)


def until_listed(scenario: Scenario, link: str, uid: str) -> None:
    """Waits until a calendar shows an event."""
    http = scenario.service.http
    scenario.wait(lambda: uid in http.get(link).text)


SCENARIOS = {
    "people/keys": keys,
    "people/invitations": invitations,
    "people/tickets": tickets,
    "people/cases": cases,
    "people/notices": notices,
}
