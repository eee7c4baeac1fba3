"""Matches in every state and a tournament, and everyone who may come with a key or without one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from secrets import token_hex
from uuid import UUID

from service.auth.keyring import ORGANISERS, hash_key, new_key
from tests.support.http.match_play import play_out
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live, LiveMatch

NOWHERE = "01900000-0000-7000-8000-000000000000"
"""The id of nothing."""

OTHER, WORTHLESS = "other key", "worthless key"
SEATS = ("seat:0", "seat:1")


@dataclass(frozen=True)
class Holder:
    """Someone with a key: `role` is what the key is to the place: a role that a route can name,
    with the number of a seat or a player, or OTHER, or WORTHLESS. Without a key both are None.
    `also` is another role that it is; `anywhere` its role where a path names neither."""

    name: str
    key: str | None
    role: str | None
    also: str | None = None
    anywhere: str | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        """All that the key is."""
        return tuple(role for role in (self.role, self.also) if role is not None)


@dataclass(frozen=True, eq=False)
class Place:
    """What a path names: `values` are its parameters. `is_over` and `is_opened` say so of a match
    and its record."""

    name: str
    values: dict[str, str]
    holders: tuple[Holder, ...]
    exists: bool = True
    is_over: bool = False
    is_opened: bool = False

    @property
    def match(self) -> UUID:
        return UUID(self.values["match_id"])


@dataclass(frozen=True)
class Places:
    """Where cells are sent to."""

    matches: tuple[Place, ...]
    tournaments: tuple[Place, ...]
    anywhere: Place

    def of(self, parameters: frozenset[str]) -> tuple[Place, ...]:
        """The places that a path with these parameters can name."""
        if "match_id" in parameters:
            return self.matches
        return self.tournaments if "tournament_id" in parameters else (self.anywhere,)


def places(live: Live) -> Places:
    """A tournament of Ann, Ben and Cy. Ann and Ben play all matches, and Mo moderates them. Mia and
    Cy, who also plays, are moderators without a match."""
    tournament = cup(live, moderators=["Mo", "Mia", "Cy"])
    strangers = tuple(_strangers(live))
    matches = tuple(_matches(live, tournament, strangers))
    nobody = (*_keyless(live, matches[0].match), *_organisers(live), *strangers)
    missing = Place("a missing match", {"match_id": NOWHERE, "seat": "0"}, nobody, exists=False)
    of_tournament = Place(
        "a tournament",
        {
            "tournament_id": tournament.id,
            "match": str(matches[0].match),
            "number": "1",
            "stage": "1",
            "player": "0",
            "moderator": "0",
            "organiser": "0",
        },
        (*nobody, *_of_tournament(live, tournament, matches[0])),
    )
    nowhere = {"tournament_id": NOWHERE, "match": NOWHERE, "number": "1", "stage": "1"}
    nowhere |= dict.fromkeys(("player", "moderator", "organiser"), "0")
    no_tournament = Place("a missing tournament", nowhere, nobody, exists=False)
    everyone = [replace(one, role=one.anywhere or one.role) for one in nobody]
    anywhere = Place("anywhere", {"game": "dollar-prize", "name": "style.css"}, tuple(everyone))
    return Places((*matches, missing), (of_tournament, no_tournament), anywhere)


def _matches(live: Live, tournament: LiveCup, strangers: tuple[Holder, ...]) -> Iterator[Place]:
    for name in ("created", "running", "over and opened", "over and closed"):
        match = tournament.match(record="closed" if name.endswith("closed") else "opened_at_end")
        assert tournament.give(match).status_code == 201
        if name != "created":
            assert match.moderator.start().status_code == 201
        if is_over := name.startswith("over"):
            play_out(match)
        holders = (
            *_keyless(live, UUID(match.id)),
            *_organisers(live),
            *_of_match(match, tournament),
            *strangers,
        )
        values = {"match_id": match.id, "seat": "0"}
        opened = name.endswith("opened")
        yield Place(f"a match {name}", values, holders, is_over=is_over, is_opened=opened)


def _organisers(live: Live) -> Iterator[Holder]:
    yield Holder("the operator", ORGANISER_KEY, "organiser")
    yield Holder("the organiser", live.judge.key, "organiser")


def _of_match(match: LiveMatch, tournament: LiveCup) -> Iterator[Holder]:
    yield Holder("an organiser of the tournament", _appointed(tournament), "organiser")
    yield Holder("the moderator", match.moderator_key, "moderator")
    yield Holder("the tournament's moderator", tournament.moderators[0], "moderator")
    for number, seat in enumerate(SEATS):
        yield Holder(f"seat {number}", match.keys[number], seat)
        yield Holder(f"the player in seat {number}", tournament.players[number], seat)
    yield Holder("a player without a seat", tournament.players[2], OTHER)
    yield Holder("a moderator without the match", tournament.moderators[1], OTHER)
    yield Holder("a moderator who plays elsewhere", tournament.moderators[2], OTHER)


def _of_tournament(live: Live, tournament: LiveCup, match: Place) -> Iterator[Holder]:
    yield Holder("an organiser of it", _appointed(tournament), "organiser")
    for number, key in enumerate(tournament.players):
        yield Holder(f"player {number}", key, f"player:{number}")
    yield Holder("a moderator", tournament.moderators[0], "moderator")
    yield Holder("a moderator without a match", tournament.moderators[1], "moderator")
    yield Holder("a moderator who plays", tournament.moderators[2], "moderator", "player:2")
    moderator, *seats = live.instance.keyring.issue(match.match, ["mod", *("s0", "s1")])
    yield Holder("the moderator of a match", moderator, "moderator")
    for number, key in enumerate(seats):
        yield Holder(f"seat {number} of a match", key, OTHER)


def _appointed(tournament: LiveCup) -> str:
    """The key of an organiser of this tournament alone."""
    answer = tournament.post("organisers", {"name": f"Olga {token_hex(4)}"})
    key: str = answer.json()["key"]
    return key


def _strangers(live: Live) -> Iterator[Holder]:
    """Those of another match, and of another tournament with the same names."""
    match, elsewhere = live.started("twelve-chips"), cup(live)
    assert elsewhere.give(elsewhere.match()).status_code == 201
    keys = {
        "a seat of another match": match.keys[0],
        "the moderator of another match": match.moderator_key,
        "a player of another tournament": elsewhere.players[0],
        "a moderator of another tournament": elsewhere.moderators[0],
    }
    for name, key in keys.items():
        yield Holder(name, key, OTHER)
    [issued] = live.instance.keyring.issue(ORGANISERS, ["org"], "a test")
    yield Holder("another organiser", issued, OTHER, anywhere="organiser")
    appointed = _appointed(elsewhere)
    yield Holder("an organiser of another tournament", appointed, OTHER, anywhere="organiser")


def _keyless(live: Live, match: UUID) -> Iterator[Holder]:
    """Those without a key, and with keys that open nothing: of each role one that was revoked."""
    yield Holder("nobody", None, None)
    unknown = {
        "no text": "",
        "a malformed key": "arb_s0_zz_00",
        "an unknown seat's key": new_key("s0", match),
        "an unknown moderator's key": new_key("mod", match),
        "an unknown organiser's key": new_key("org", ORGANISERS),
    }
    tournament = UUID(cup(live).id)
    for ring, slots in (
        (match, ("mod", "s0")),
        (tournament, ("p0", "m0", "o0")),
        (ORGANISERS, ("org",)),
    ):
        for slot, key in zip(slots, live.instance.keyring.issue(ring, slots), strict=True):
            live.instance.keyring.revoke(ring, hash_key(key))
            unknown[f"a revoked key {slot}"] = key
    for name, key in unknown.items():
        yield Holder(name, key, WORTHLESS)
