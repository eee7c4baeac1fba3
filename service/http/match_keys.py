"""`/v1/matches/{id}/keys`: the keys of a match that exists, issued, listed and ended."""

import re
from collections.abc import Sequence
from typing import Annotated

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import PathParameter
from msgspec import Meta, Struct

from domain.game import Refused
from domain.names import LONGEST_NAME, fault_in
from domain.people import Actor
from domain.seat_holders import first_holders
from domain.tournament_state import Request
from projections.fields import Next, ShownOnce
from projections.timestamps import Timestamp, rfc3339
from service.application.match_keys import ListedKey, MatchKeys
from service.application.match_sessions import MatchSessions
from service.auth.key_events import Slot
from service.http.described import examples, problems
from service.http.guards import DIRECTORS, ORGANISER
from service.http.idempotency import remembered
from service.http.parameters import MatchId, Page
from service.http.problems import Failed
from service.http.request_body import misshapen
from service.http.responses import SHOWN_ONCE, Answer, created, private

KeyInPath = Annotated[str, PathParameter(description="The id of the key")]

_SEAT = re.compile(r"seat:(0|[1-9][0-9]{0,3})")


class NewKeyRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """One more key to a match: what it is for, and the person whom it is for."""

    role: Annotated[
        str,
        Meta(
            pattern=r"^(moderator|seat:(0|[1-9][0-9]{0,3}))$",
            description="`moderator` or `seat:N`",
            examples=["seat:0"],
        ),
    ]
    name: Annotated[str, Meta(description=f"1 to {LONGEST_NAME} characters", examples=["Eve"])]


class IssuedMatchKey(Struct, frozen=True):
    """A new key. It is shown once: null in the answer to a repeated request."""

    id: str
    key: ShownOnce


class MatchKey(Struct, frozen=True):
    """A valid key of a match. `name` is the person for whom it was issued, null for a key without
    a name; `last_used` is null for one that was never used. `issued_by` is who issued it, null for
    one without a name; `theirs_since` is since when it has been its holder's, who accepted an
    invitation or renewed it; null while whoever issued it may have it, too. `own` is the key that
    came with the request."""

    id: str
    role: Annotated[str, Meta(description="What the key is for")]
    name: str | None
    since: Timestamp
    last_used: Timestamp | None
    issued_by: str | None
    theirs_since: Timestamp | None
    own: bool


class MatchKeyList(Struct, frozen=True):
    """Valid keys of a match, in the order in which they were issued. Keys that have ended count
    for a page, but are not shown."""

    keys: list[MatchKey]
    next: Next


NEW_KEY = examples(
    {
        "moderator": {"role": "moderator", "name": "Eve"},
        "seat": {"role": "seat:0", "name": "Ann"},
    }
)


class MatchKeysController(Controller):
    """Issuing, listing and ending keys."""

    path = "/v1/matches/{match_id:uuid}/keys"
    tags = ("moderation",)

    @post(
        operation_id="issueMatchKey",
        summary="Issue one more key to a match",
        guards=[ORGANISER],
        opt=problems("moderator_plays no_such_seat names_not_allowed seat_replaced"),
    )
    async def issue(
        self,
        match_id: MatchId,
        data: Annotated[NewKeyRequest, NEW_KEY],
        actor: NamedDependency[Actor],
        once: NamedDependency[Request | None],
        sessions: NamedDependency[MatchSessions],
        match_keys: NamedDependency[MatchKeys],
    ) -> Answer[IssuedMatchKey]:
        """Needs an organiser's key. The seat is told that it has one more key, and the moderators
        who issued it. Nobody is both a player and a moderator of a match (`moderator_plays`).

        With an `Idempotency-Key` the same request issues one key; a repeat has null in its place.
        """
        match = (await sessions.cached(match_id)).match
        slot = _slot(data.role, match.created.seats)
        _check_name(data.name, first_holders(match))
        made = await match_keys.issue(match_id, slot, data.name, actor, once)
        issued = IssuedMatchKey(made.id, made.key)
        return created(issued, repeated=made.key is None, headers=SHOWN_ONCE)

    @get(
        operation_id="listMatchKeys",
        summary="The valid keys of a match",
        guards=[DIRECTORS],
    )
    async def list_keys(
        self,
        match_id: MatchId,
        actor: NamedDependency[Actor],
        page: NamedDependency[Page],
        match_keys: NamedDependency[MatchKeys],
    ) -> Answer[MatchKeyList]:
        """Needs an organiser's key or the match's moderator's. The keys themselves are not stored.
        When a key was last used is known to about a second for what this instance has seen, and to
        a minute for others. Keys of a tournament are not listed.
        """
        issued, following = page.of(await match_keys.issued(match_id))
        valid = [_shown(each, actor.key_id) for each in await match_keys.valid(match_id, issued)]
        return private(MatchKeyList(valid, following))

    @delete(
        "/{key:str}",
        operation_id="endMatchKey",
        summary="End a key of a match",
        guards=[DIRECTORS],
        opt=problems("no_such_key"),
    )
    @remembered()
    async def end(
        self,
        match_id: MatchId,
        key: KeyInPath,
        actor: NamedDependency[Actor],
        match_keys: NamedDependency[MatchKeys],
    ) -> None:
        """Needs an organiser's key or the match's moderator's. The key opens nothing any more, here
        at once and on other instances within a second or two; its open streams end. The seat is
        told. A key that has ended already stays so: 204 again.
        """
        await match_keys.end(match_id, key, actor)


def _slot(role: str, seats: int) -> Slot:
    """The slot of a role. Raises Failed for what is no role, and for a seat that the match has
    not."""
    if role == "moderator":
        return "mod"
    found = _SEAT.fullmatch(role)
    if found is None:
        # The pattern of the body lets a final line break through.
        raise misshapen("role: `moderator` or `seat:N`", pointer="/role")
    if int(found[1]) >= seats:
        raise Failed("no_such_seat")
    return f"s{found[1]}"


def _check_name(name: str, seats: Sequence[str]) -> None:
    """Raises Refused for a name that people cannot read, or that could be taken for another. The
    names of the seats are what they are."""
    if fault_in(name) is not None and name not in seats:
        raise Refused("names_not_allowed")


def _shown(listed: ListedKey, asking: str) -> MatchKey:
    key, used = listed
    assert key.id is not None, "every listed key has an id"
    role = "moderator" if key.slot == "mod" else f"seat:{key.slot[1:]}"
    last_used = None if used is None else rfc3339(used)
    theirs = None if key.origin.since is None else rfc3339(key.origin.since)
    return MatchKey(
        id=key.id,
        role=role,
        name=key.name or None,
        since=rfc3339(key.at),
        last_used=last_used,
        issued_by=key.origin.by,
        theirs_since=theirs,
        own=key.id == asking,
    )
