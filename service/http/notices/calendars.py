"""`/v1/calendars`: when matches take place, for calendar programs, at addresses that can be taken
back.

The token of an address stands in its query: neither the service's logs nor those of the proxy in
`deploy` have it. Only its hash is stored.
"""

import secrets
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller
from litestar.params import PathParameter, QueryParameter
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct
from msgspec.structs import asdict

from domain.events import HOUR
from domain.match.deadlines import SECOND
from domain.tournament.competition import PublishedRound
from projections.fields import Player, Timestamp, rfc3339
from service.auth.keyring import hash_key
from service.event_store.store_threads import in_side_thread, in_store_thread
from service.http.access.guards import ANY_KEY, EVERYBODY
from service.http.description.routing import delete, examples, get, post, problems
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware.caching import content_tag, is_unchanged
from service.http.notices.registrations import ASKING, Asking, TheAsking, id_text
from service.http.requests.context import base_url
from service.http.requests.dependencies import Number, Once, TheInstance
from service.http.requests.responses import (
    Answer,
    answer_header,
    created,
    json_bytes,
    private,
    private_headers,
)
from service.instance import Instance
from service.notices.calendar_feed import CalendarSubject, RoundTimes, calendar_feed
from service.notices.registrations import Calendar

TEXT_CALENDAR = "text/calendar"
FEED = "/v1/calendar.ics"

Token = Annotated[
    str, QueryParameter(min_length=1, max_length=200, description="As in the address")
]
CalendarId = Annotated[UUID, PathParameter(description="The id of the calendar")]
NEW_CALENDAR = examples({"own": {}, "match": {"match": "01a1b2c3-d4e5-7f60-8a9b-0c1d2e3f4a5b"}})
TAG = answer_header("ETag", "Changes with the calendar")


class NewCalendar(Struct, frozen=True, forbid_unknown_fields=True):
    """A calendar of one match, or of one tournament; `player` chooses whose matches of it. Without
    either it is of what the key is for."""

    match: UUID | None = None
    tournament: UUID | None = None
    player: Number | None = None


class ShownCalendar(Struct, frozen=True):
    """A calendar, without its address."""

    id: str
    match: str | None
    tournament: str | None
    player: Player | None
    since: Timestamp


class MadeCalendar(ShownCalendar, frozen=True):
    """A new calendar. Its address is shown once: null in the answer to a repeated request."""

    link: Annotated[str | None, Meta(description="What to subscribe to in a calendar program")]


class CalendarList(Struct, frozen=True):
    """Calendars, in the order in which they were made."""

    calendars: list[ShownCalendar]


class CalendarsController(Controller):
    """Making, listing and removing calendars."""

    path = "/v1/calendars"
    tags = ("notices",)
    dependencies = ASKING

    @post(
        summary="Make an address for calendar programs",
        guards=[ANY_KEY],
        opt=problems(
            "not_allowed no_such_match no_such_tournament no_such_player match_or_tournament "
            "too_many_calendars record_altered"
        ),
    )
    async def make_calendar(
        self,
        request: AnyRequest,
        data: Annotated[NewCalendar, NEW_CALENDAR],
        asking: TheAsking,
        once: Once,
    ) -> Answer[MadeCalendar]:
        """Needs a key: an organiser's for any match or tournament; any other for what it is for.
        Anyone who has the address reads when matches started and ended, the deadlines in force, and
        the rounds of a tournament: public facts alone. It is good until it is removed, or the key
        ends. A repeated request is not shown it again: null.
        """
        match, tournament = await asking.subject(data.match, data.tournament)
        if match is None and tournament is None:
            raise Failed("match_or_tournament", "name one of them")
        if data.player is not None:
            await _check_player(asking, tournament, data.player)
        token = secrets.token_urlsafe(32)

        def new(name: str) -> Calendar:
            return Calendar(
                id=name,
                token_hash=hash_key(token),
                match=id_text(match),
                tournament=id_text(tournament),
                player=data.player,
                key=asking.key,
                since=asking.instance.clock.now(),
            )

        table = asking.instance.webhooks.calendars
        calendar, repeated = await asking.register(table, once, new, "too_many_calendars")
        address = (
            f"{base_url(asking.instance.settings.server.public_url, request)}{FEED}?token={token}"
        )
        answer = MadeCalendar(**asdict(_show(calendar)), link=None if repeated else address)
        return created(answer, repeated=repeated)

    @get(summary="The calendars of a key", guards=[ANY_KEY])
    async def list_calendars(self, asking: TheAsking) -> Answer[CalendarList]:
        """Those that the key made; an organiser sees all. No one is shown an address again."""
        calendars = await asking.visible(asking.instance.webhooks.calendars)
        return private(CalendarList([_show(calendar) for calendar in calendars]))

    @delete(
        "/{calendar:uuid}",
        summary="Take back the address of a calendar",
        guards=[ANY_KEY],
        opt=problems("no_such_calendar"),
    )
    async def remove_calendar(self, calendar: CalendarId, asking: TheAsking) -> None:
        """Anyone who has it reads nothing any more."""
        await asking.remove(asking.instance.webhooks.calendars, calendar, "no_such_calendar")


class FeedController(Controller):
    """A calendar as calendar programs read it."""

    path = FEED
    tags = ("notices",)

    @get(
        summary="When matches take place, as a calendar (RFC 5545)",
        response_description="The calendar",
        guards=[EVERYBODY],
        response_headers=[TAG],
        opt=problems(
            "no_such_calendar", conditional=True, any_query=True, content={TEXT_CALENDAR: str}
        ),
    )
    async def read_calendar(
        self, request: AnyRequest, instance: TheInstance, token: Token
    ) -> ASGIResponse:
        """For the person who has the address. A deadline keeps its `UID` when it moves and gets a
        higher `SEQUENCE`; one that was lifted, and a void match, are `CANCELLED`. It is a moment
        after. What a calendar program adds to the address is ignored.
        """
        table = instance.webhooks.calendars
        calendar = await in_side_thread(table.by_token, hash_key(token))
        if calendar is None:
            raise Failed("no_such_calendar")
        if not await instance.key_lasts(calendar.key):
            await in_side_thread(table.remove, calendar.id)
            raise Failed("no_such_calendar")
        subject = await read_subject(instance, calendar)
        base = base_url(instance.settings.server.public_url, request)
        tag = content_tag(msgspec.json.encode((*subject, base, instance.edition)))
        headers = private_headers(tag)
        if is_unchanged(request, tag):
            return json_bytes(b"", 304, headers)
        body = await in_store_thread(calendar_feed, subject, base)
        return json_bytes(body, 200, headers, f"{TEXT_CALENDAR}; charset=utf-8")


def _show(calendar: Calendar) -> ShownCalendar:
    """A calendar without its address."""
    return msgspec.convert(asdict(calendar) | {"since": rfc3339(calendar.since)}, ShownCalendar)


async def _check_player(asking: Asking, tournament: UUID | None, player: int) -> None:
    """Raises Failed for what is no player."""
    if tournament is None:
        raise Failed("no_such_player", "a player is one of a tournament: name that")
    if player >= len((await asking.instance.tournaments.current(tournament)).state.players):
        raise Failed("no_such_player")


async def read_subject(instance: Instance, calendar: Calendar) -> CalendarSubject:
    """What the calendar shows now. Raises StoreUnavailable and UnknownTournament."""
    match, tournament = calendar.match, calendar.tournament
    if tournament is None:
        assert match is not None, "a calendar is of either"
        scheduled = await instance.lists.scheduled([match])
        return CalendarSubject("Arbiter", list(scheduled.values()))
    state = (await instance.tournaments.current(UUID(tournament))).state
    scheduled = await instance.lists.scheduled(state.matches)
    matches = [
        scheduled[match]
        for match, added in state.matches.items()
        if match in scheduled and calendar.player in (None, *added.players)
    ]
    published = [
        RoundTimes(
            stage=number,
            name=stage.settings.name,
            number=round_.number,
            starts=round_.starts,
            ends=round_.ends,
            withdrawn=round_.status == "withdrawn",
            longer=_longer(round_, stage.settings.round.ends),
        )
        for number, stage in enumerate(state.competition.stages, 1)
        for round_ in stage.rounds
    ]
    return CalendarSubject(state.name, matches, tournament, published)


def _longer(round_: PublishedRound, hours: float | None) -> int:
    """By how many seconds a round has been made longer than the hours that its stage gives it."""
    if round_.ends is None or hours is None:
        return 0
    return -((round_.starts + int(hours * HOUR) - round_.ends) // SECOND)
