"""`/v1/matches/{id}/keys` and `/v1/keys`: the keys of a match, issued, listed and ended; what the
holder of any key does with it; and the keys that verify what the service has signed."""

import re
import secrets
from collections.abc import Sequence
from typing import Annotated

from litestar import Controller
from litestar.handlers import BaseRouteHandler
from litestar.params import PathParameter
from msgspec import Meta, Struct

from domain.game import Refused
from domain.match.seat_holders import first_holders
from domain.names import LONGEST_NAME, fault_in
from projections.audience.disclosure import MODERATOR, viewer
from projections.fields import Next, ShownOnce, Timestamp, rfc3339
from service.application.keys.match_keys import ListedKey
from service.auth.keyring import CONFIGURED, Slot
from service.event_store.store_threads import in_store_thread
from service.http.access.grants import found_grant, key_in, known_grant
from service.http.access.guards import ANY_KEY, DIRECTORS, EVERYBODY, ORGANISER, Guard
from service.http.access.key_needed import GRANT
from service.http.description.routing import delete, examples, get, post, problems
from service.http.errors.mistakes import IDEMPOTENCY_KEY_PATTERN
from service.http.errors.problems import AnyRequest, Failed
from service.http.requests.context import Connection, context
from service.http.requests.dependencies import Once, Sent, TheActor, TheInstance, ThePage
from service.http.requests.request_body import misshapen, value_of
from service.http.requests.responses import (
    SHORTEST_SECRET,
    Answer,
    created,
    idempotency_key,
    private,
)
from service.signing.signing_keys import PublishedKey

KeyInPath = Annotated[str, PathParameter(description="The id of the key")]
RenewalKey = Annotated[
    str | None,
    idempotency_key(
        f"{SHORTEST_SECRET} to 255 visible ASCII characters, drawn at random and kept secret. For "
        "ten minutes the same request is shown the same key; without it a lost answer is a lost "
        "key",
        SHORTEST_SECRET,
    ),
]


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
    invitation or renewed it; null while the person who issued it may have it, too. `own` is the key
    that came with the request."""

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
    {"moderator": {"role": "moderator", "name": "Eve"}, "seat": {"role": "seat:0", "name": "Ann"}}
)


class RenewedKey(Struct, frozen=True):
    """The key in place of the one that came with the request."""

    key: str


class Renewable(Guard):
    """For every valid key, and under an idempotency key for one that has ended: this very request
    may have renewed it."""

    security = ANY_KEY.security

    async def __call__(self, connection: Connection, handler: BaseRouteHandler) -> None:  # noqa: ARG002
        """Finds the key. Raises Failed."""
        headers, keyring = connection.scope["headers"], context(connection).instance.keyring
        key = key_in(headers, bearer=True)
        if key is None:
            raise Failed("key_missing")
        grant = connection.scope["state"][GRANT] = await known_grant(keyring, key)
        request_key = (value_of(headers, b"idempotency-key") or b"").decode("latin-1")
        if grant is None and re.fullmatch(IDEMPOTENCY_KEY_PATTERN, request_key) is None:
            raise Failed("key_unknown")


class KeyList(Struct, frozen=True):
    """Every key with which this service has ever signed. Keep copies yourself: keys that come from
    the service that is being checked prove nothing."""

    keys: list[PublishedKey]


class KeysController(Controller):
    path = "/v1/keys"
    tags = ("moderation",)

    @post(
        "/renew",
        summary="Get a new key in place of your own",
        guards=[Renewable()],
        opt=problems(
            "no_such_match key_in_settings idempotency_key_needed record_altered", remembered=False
        ),
    )
    async def renew_key(
        self, request: AnyRequest, instance: TheInstance, chosen: RenewalKey = None
    ) -> Answer[RenewedKey]:
        """For every key, by itself. It ends at once, with its streams, tickets, webhooks and
        calendars; the new one opens the same for the same person, and no one else is shown it. From
        then on the key is its holder's, no matter who issued it, and seconds what that person has
        ruled (`key_not_renewed`).
        """
        key = key_in(request.scope["headers"], bearer=True)
        grant = found_grant(request)
        assert key is not None, "the route's guard needs one"
        if grant is not None and instance.keyring.reference(key).slot == CONFIGURED:
            raise Failed("key_in_settings")
        new = await instance.match_keys.renew(key, chosen or secrets.token_urlsafe())
        if new is None:
            raise Failed("key_unknown")
        return created(RenewedKey(new), repeated=grant is None)


class SigningKeysController(Controller):
    """The keys that verify what this service has signed."""

    path = "/v1/keys"
    tags = ("evidence",)

    @get(summary="The public keys with which this service signs", guards=[EVERYBODY])
    async def list_signing_keys(self, instance: TheInstance) -> KeyList:
        """Old ones too: what they have signed can be checked forever."""
        return KeyList(await in_store_thread(instance.signer.published))


class MatchKeysController(Controller):
    """Issuing, listing and ending keys."""

    path = "/v1/matches/{match_id:uuid}/keys"
    tags = ("moderation",)

    @post(
        summary="Issue one more key to a match",
        guards=[ORGANISER],
        opt=problems("moderator_plays no_such_seat names_not_allowed seat_replaced"),
    )
    async def issue_match_key(
        self, data: Annotated[NewKeyRequest, NEW_KEY], sent: Sent, actor: TheActor, once: Once
    ) -> Answer[IssuedMatchKey]:
        """Needs an organiser's key. The seat is told that it has one more key, and the moderators
        who issued it. No one is both a player and a moderator of a match (`moderator_plays`).

        With an `Idempotency-Key` the same request issues one key; a repeat has null in its place.
        """
        instance = sent.instance
        match = (await instance.sessions.cached(sent.id)).match
        slot = _slot(data.role, match.created.seats)
        _check_name(data.name, first_holders(match))
        new_key = await instance.match_keys.issue(sent.id, slot, data.name, actor, once)
        return created(IssuedMatchKey(*new_key), repeated=new_key.key is None)

    @get(summary="The valid keys of a match", guards=[DIRECTORS])
    async def list_match_keys(
        self, sent: Sent, actor: TheActor, page: ThePage
    ) -> Answer[MatchKeyList]:
        """Needs an organiser's key or the match's moderator's. The keys themselves are not stored.
        When a key was last used is known to about a second for what this instance has seen, and to
        a minute for others. Keys of a tournament are not listed.
        """
        match_keys = sent.instance.match_keys
        issued, following = page.of(await match_keys.issued(sent.id))
        valid = [shown_key(row, actor.key_id) for row in await match_keys.valid(sent.id, issued)]
        return private(MatchKeyList(valid, following))

    @delete(
        "/{key:str}",
        summary="End a key of a match",
        guards=[DIRECTORS],
        opt=problems("no_such_key"),
    )
    async def end_match_key(self, sent: Sent, key: KeyInPath, actor: TheActor) -> None:
        """Needs an organiser's key or the match's moderator's. The key opens nothing any more, here
        at once and on other instances within a second or two; its open streams end. The seat is
        told. A key that has ended already stays so: 204 again.
        """
        await sent.instance.match_keys.end(sent.id, key, actor)


def _slot(role: str, seats: int) -> Slot:
    """The slot of a role. Raises Failed for what is no role, and for a seat that the match has
    not."""
    audience = viewer(role)
    if audience == MODERATOR:
        return "mod"
    if not isinstance(audience, int):
        # The pattern of the body lets a final line break through.
        raise misshapen("role: `moderator` or `seat:N`", pointer="/role")
    if audience >= seats:
        raise Failed("no_such_seat")
    return f"s{audience}"


def _check_name(name: str, seats: Sequence[str]) -> None:
    """Raises Refused for a name that people cannot read, or that could be taken for another. The
    names of the seats are what they are."""
    if fault_in(name) is not None and name not in seats:
        raise Refused("names_not_allowed")


def shown_key(row: ListedKey, asking: str) -> MatchKey:
    """A key as it is listed, for someone who asks with the one that has this id."""
    key, last_used = row
    assert key.id is not None, "every listed key has an id"
    return MatchKey(
        id=key.id,
        role="moderator" if key.slot == "mod" else f"seat:{key.slot[1:]}",
        name=key.name or None,
        since=rfc3339(key.at),
        last_used=None if last_used is None else rfc3339(last_used),
        issued_by=key.origin.by,
        theirs_since=None if key.origin.since is None else rfc3339(key.origin.since),
        own=key.id == asking,
    )
