"""`/v1/calendars`: when matches take place, for calendar programs, at addresses that can be taken
back.

The token of an address stands in its query: neither the service's logs nor those of the proxy in
`deploy` have it. Only its hash is stored.
"""

import secrets
from typing import Annotated
from uuid import UUID, uuid4

import msgspec
from litestar import Controller
from litestar.params import PathParameter, QueryParameter
from litestar.response.base import ASGIResponse

from projections.rounds import rounds_of
from service.application.idempotency import RecordRequest
from service.auth.grants import Grant
from service.auth.key_form import hashed
from service.event_store.store_threads import in_side_thread, in_store_thread
from service.http.access import ANY_KEY, EVERYBODY
from service.http.caching import content_tag, is_unchanged
from service.http.calendar_schemas import (
    CalendarList,
    MadeCalendar,
    NewCalendar,
    ShownCalendar,
    shown_fields,
)
from service.http.context import context
from service.http.idempotency import read_once
from service.http.invitation_links import base_url
from service.http.operation import IDEMPOTENCY_KEY, IF_NONE_MATCH, Answer, Header, delete, get, post
from service.http.parameters import QueryParameters, check_names
from service.http.problems import AnyRequest, Failed
from service.http.request_body import Body, check_no_body
from service.http.responses import SHOWN_ONCE, created, json, json_bytes, private_headers
from service.http.webhook_access import check_match, id_text, narrowed, sender
from service.instance import Instance
from service.notices.calendar_feed import Subject, calendar_feed
from service.notices.calendars import Calendar

MOST = 20
"""Maximum calendars of one key that is no organiser's."""

TEXT_CALENDAR = "text/calendar"
FEED = "/v1/calendar.ics"


Token = Annotated[
    str, QueryParameter(min_length=1, max_length=200, description="As in the address")
]
CalendarId = Annotated[UUID, PathParameter(description="The id of the calendar")]
NEW_CALENDAR = Body(
    NewCalendar,
    {"own": {}, "match": {"match": "01a1b2c3-d4e5-7f60-8a9b-0c1d2e3f4a5b"}},
)
TAG = Header("ETag", "Changes with the calendar")


class CalendarsController(Controller):
    """Making, listing and removing calendars."""

    path = "/v1/calendars"
    tags = ("notices",)

    @post(
        operation_id="makeCalendar",
        summary="Make an address for calendar programs",
        security=ANY_KEY,
        answer=MadeCalendar,
        body=NEW_CALENDAR,
        headers=[IDEMPOTENCY_KEY],
        errors="not_allowed no_such_match no_such_tournament no_such_player "
        "match_or_tournament too_many_calendars record_altered",
    )
    async def make(self, request: AnyRequest) -> ASGIResponse:
        """Needs a key: an organiser's for any match or tournament; any other for what it is for.
        Whoever has the address reads when matches started and ended, the deadlines in force, and
        the rounds of a tournament: public facts alone. It is good until it is removed, or the key
        ends. A repeated request is not shown it again: null.
        """
        instance = context(request).instance
        grant, registrant = await sender(request)
        new, once = await read_once(request, NEW_CALENDAR)
        match, tournament = narrowed(grant, new.match, new.tournament)
        await _check_subject(instance, grant, match, tournament, new.player)
        calendars = instance.webhooks.calendars

        async def existing(chosen: UUID) -> MadeCalendar | None:
            calendar = await in_side_thread(calendars.find, str(chosen))
            return None if calendar is None else MadeCalendar(*shown_fields(calendar), None)

        async def create(chosen: UUID, record_request: RecordRequest) -> MadeCalendar:
            own = [each for each in await _visible(request) if each.key == registrant]
            if len(own) >= MOST and grant.role != "organiser":
                raise Failed("too_many_calendars")
            await record_request()
            token = secrets.token_urlsafe(32)
            calendar = Calendar(
                str(chosen), hashed(token), id_text(match), id_text(tournament), new.player,
                registrant, instance.clock.now(),
            )  # fmt: skip
            await in_side_thread(calendars.add, calendar)
            link = f"{base_url(instance.settings.public_url, request)}{FEED}?token={token}"
            return MadeCalendar(*shown_fields(calendar), link)

        made = await instance.idempotency.once(once, uuid4(), existing, create)
        return created(made, repeated=made.link is None, headers=SHOWN_ONCE)

    @get(
        operation_id="listCalendars",
        summary="The calendars of a key",
        security=ANY_KEY,
        answer=CalendarList,
        errors="bad_request",
    )
    async def list_calendars(self, request: AnyRequest) -> ASGIResponse:
        """Those that the key made; an organiser sees all. Nobody is shown an address again."""
        check_names(request, QueryParameters())
        listed = [ShownCalendar(*shown_fields(each)) for each in await _visible(request)]
        return json(CalendarList(listed), 200, private_headers())

    @delete(
        "/{calendar:uuid}",
        operation_id="removeCalendar",
        summary="Take back the address of a calendar",
        security=ANY_KEY,
        errors="no_such_calendar bad_request wrong_shape",
    )
    async def remove(self, request: AnyRequest, calendar: CalendarId) -> None:
        """Whoever has it reads nothing any more."""
        await check_no_body(request)
        if str(calendar) not in {each.id for each in await _visible(request)}:
            raise Failed("no_such_calendar")
        calendars = context(request).instance.webhooks.calendars
        await in_side_thread(calendars.remove, str(calendar))


class FeedController(Controller):
    """A calendar as calendar programs read it."""

    path = FEED
    tags = ("notices",)

    @get(
        operation_id="readCalendar",
        summary="When matches take place, as a calendar (RFC 5545)",
        security=EVERYBODY,
        content={TEXT_CALENDAR: str},
        headers=[IF_NONE_MATCH],
        answer_headers=[TAG],
        answers={200: Answer(None, "The calendar")},
        errors="bad_request no_such_calendar",
    )
    async def read_calendar(self, request: AnyRequest, token: Token) -> ASGIResponse:
        """For whoever has the address. A deadline keeps its `UID` when it moves and gets a higher
        `SEQUENCE`; one that was lifted, and a void match, are `CANCELLED`. It is a moment behind.
        What a calendar program adds to the address is ignored.
        """
        instance = context(request).instance
        calendar = await _by_token(instance, token)
        subject = await read_subject(instance, calendar)
        base = base_url(instance.settings.public_url, request)
        tag = content_tag(msgspec.json.encode((*subject, base, instance.edition)))
        headers = private_headers(tag)
        if is_unchanged(request, tag):
            return json_bytes(b"", 304, headers)
        body = await in_store_thread(calendar_feed, subject, base)
        return json_bytes(body, 200, headers, f"{TEXT_CALENDAR}; charset=utf-8")


async def _check_subject(
    instance: Instance,
    grant: Grant,
    match: UUID | None,
    tournament: UUID | None,
    player: int | None,
) -> None:
    """Raises Failed for what the key is not for, UnknownMatch, UnknownTournament and
    StoreUnavailable."""
    if tournament is not None:
        players = (await instance.tournaments.current(tournament)).state.players
        if player is not None and player >= len(players):
            raise Failed("no_such_player")
        return
    if match is None:
        raise Failed("match_or_tournament", "name one of them")
    if player is not None:
        raise Failed("no_such_player", "a player is one of a tournament: name that")
    await check_match(instance, grant, match)


async def _visible(request: AnyRequest) -> list[Calendar]:
    """The calendars that the key may see: its own, or an organiser's all. Raises Failed and
    StoreUnavailable."""
    grant, registrant = await sender(request)
    found = await in_side_thread(context(request).instance.webhooks.calendars.all)
    every = sorted(found, key=lambda one: (one.since, one.id))
    return [one for one in every if grant.role == "organiser" or one.key == registrant]


async def _by_token(instance: Instance, token: str) -> Calendar:
    """The calendar of an address. Raises Failed, also if its key has ended; StoreUnavailable."""
    calendar = await in_side_thread(instance.webhooks.calendars.by_token, hashed(token))
    if calendar is None:
        raise Failed("no_such_calendar")
    if not await instance.key_lasts(calendar.key):
        await in_side_thread(instance.webhooks.calendars.remove, calendar.id)
        raise Failed("no_such_calendar")
    return calendar


async def read_subject(instance: Instance, calendar: Calendar) -> Subject:
    """What the calendar shows now. Raises StoreUnavailable and UnknownTournament."""
    schedule = instance.webhooks.schedule
    if calendar.tournament is None:
        assert calendar.match is not None, "a calendar is of either"
        found = await in_side_thread(schedule.matches, (calendar.match,))
        return Subject("Arbiter", list(found.values()))
    shown = await instance.lists.tournament(UUID(calendar.tournament))
    matches = await in_side_thread(schedule.of_tournament, calendar.tournament)
    rounds = rounds_of(match for match, _ in shown.matches)
    players = {match.match: match.players for match, _ in shown.matches}
    wanted = [
        match
        for match in matches
        if calendar.player is None or calendar.player in players.get(match.row.id, ())
    ]
    whole = calendar.player is None
    return Subject(shown.name, wanted, calendar.tournament, rounds, whole)
