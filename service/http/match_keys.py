"""`/v1/matches/{id}/keys`: the keys of a match that exists, issued, listed and ended."""

import re
from collections.abc import Sequence
from typing import Annotated

from litestar import Controller
from litestar.di import NamedDependency
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from domain.game import Refused
from domain.names import LONGEST_NAME, fault_in
from domain.people import Actor
from domain.seat_holders import first_holders
from projections.timestamps import Timestamp, rfc3339
from service.application.match_keys import ListedKey
from service.auth.key_events import Slot
from service.http.access import only
from service.http.authentication import organiser_of
from service.http.authorization import DIRECTORS
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.idempotency import read_once
from service.http.operation import IDEMPOTENCY_KEY, delete, get, post
from service.http.parameters import PageQuery
from service.http.problems import Failed
from service.http.request_body import Body, check_no_body, misshapen
from service.http.responses import (
    SHOWN_ONCE,
    created,
    json,
    private_headers,
)

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
    key: str | None


class MatchKey(Struct, frozen=True):
    """A valid key of a match. `name` is the person for whom it was issued, null for a key without
    a name; `last_used` is null for one that was never used. `issued_by` is who issued it, null for
    one without a name; `theirs_since` is since when it has been its holder's, who accepted an
    invitation or renewed it; null while whoever issued it may have it, too. `own` is the key that
    came with the request."""

    id: str
    role: str
    name: str | None
    since: Timestamp
    last_used: Timestamp | None
    issued_by: str | None
    theirs_since: Timestamp | None
    own: bool


class MatchKeyList(Struct, frozen=True):
    """Valid keys of a match, in the order in which they were issued; `next` is the `after` of the
    page that follows, if any. Keys that have ended count for a page, but are not shown."""

    keys: list[MatchKey]
    next: int | None


NEW_KEY = Body(
    NewKeyRequest,
    {
        "moderator": {"role": "moderator", "name": "Eve"},
        "seat": {"role": "seat:0", "name": "Ann"},
    },
)


class MatchKeysController(Controller):
    """Issuing, listing and ending keys."""

    path = "/v1/matches/{match_id:uuid}/keys"
    tags = ("moderation",)
    dependencies = MATCH_DEPENDENCIES

    @post(
        operation_id="issueMatchKey",
        summary="Issue one more key to a match",
        security=only("organiser"),
        answer=IssuedMatchKey,
        body=NEW_KEY,
        headers=[IDEMPOTENCY_KEY],
        errors="moderator_plays no_such_seat names_not_allowed idempotency_key_reused "
        "seat_replaced request_in_flight record_altered",
    )
    async def issue(
        self, call: NamedDependency[MatchCall], actor: NamedDependency[Actor]
    ) -> ASGIResponse:
        """Needs an organiser's key. The seat is told that it has one more key, and the moderators
        who issued it. Nobody is both a player and a moderator of a match (`moderator_plays`).

        With an `Idempotency-Key` the same request issues one key; a repeat has null in its place.
        """
        await organiser_of(call.instance, call.request)
        match = await call.cached_match()
        new, once = await read_once(call.request, NEW_KEY)
        slot = _slot(new.role, match.created.seats)
        _check_name(new.name, first_holders(match))
        made = await call.instance.match_keys.issue(call.id, slot, new.name, actor, once)
        return created(
            IssuedMatchKey(made.id, made.key), repeated=made.key is None, headers=SHOWN_ONCE
        )

    @get(
        operation_id="listMatchKeys",
        summary="The valid keys of a match",
        **DIRECTORS,
        answer=MatchKeyList,
        query=PageQuery,
    )
    async def list_keys(
        self,
        call: NamedDependency[MatchCall],
        actor: NamedDependency[Actor],
        parameters: NamedDependency[PageQuery],
    ) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's. The keys themselves are not stored.
        When a key was last used is known to about a second for what this instance has seen, and to
        a minute for others. Keys of a tournament are not listed.
        """
        service = call.instance.match_keys
        page, following = parameters.page(await service.issued(call.id))
        valid = [_shown(each, actor.key_id) for each in await service.valid(call.id, page)]
        return json(MatchKeyList(valid, following), 200, private_headers())

    @delete(
        "/{key:str}",
        operation_id="endMatchKey",
        summary="End a key of a match",
        **DIRECTORS,
        errors="no_such_key",
    )
    async def end(
        self, call: NamedDependency[MatchCall], key: KeyInPath, actor: NamedDependency[Actor]
    ) -> None:
        """Needs an organiser's key or the match's moderator's. The key opens nothing any more, here
        at once and on other instances within a second or two; its open streams end. The seat is
        told. A key that has ended already stays so: 204 again.
        """
        await check_no_body(call.request)
        await call.instance.match_keys.end(call.id, key, actor)


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
        key.id, role, key.name or None, rfc3339(key.at), last_used, key.origin.by, theirs,
        key.id == asking,
    )  # fmt: skip
