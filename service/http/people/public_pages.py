"""`/m/{id}`, `/m/{id}/audit`, `/table/{id}` and `/embed/{id}`: a match as everyone may see it, now
and at every position; its record, for those who settle a dispute; for who moderates or organises
it; and its board for other sites, in a frame of theirs. `/t/{id}`: a tournament; `/t/{id}/me`: a
player's own page of it; `/t/{id}/audit`: what was ruled, disputed and read in all of it.

The pages show what the public's answers of the API say, and nothing else: no key reaches them. What
another audience sees, and what a key shows, their scripts read by the API.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any
from uuid import UUID

from litestar import Controller
from litestar.params import FromPath, QueryParameter
from litestar.response.base import ASGIResponse
from msgspec import to_builtins
from msgspec.json import decode

from domain.games import GAMES
from domain.tournament.state import Tournament
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience
from projections.audience.disclosure import viewer as viewer_named
from projections.audience.shown_match import shown_match
from projections.evidence.timeline import timeline
from projections.fields import rfc3339
from projections.rulings.tournament_rulings import PUBLIC_ONLY
from projections.tournaments.standings import Standing, standings
from projections.tournaments.tournaments import rounds_of
from service.application.evidence.evidence import is_open
from service.application.matches.match_sessions import UnknownPosition
from service.event_store.errors import UnknownMatch, UnknownTournament
from service.http.access.guards import EVERYBODY
from service.http.description.routing import get
from service.http.errors.problems import AnyRequest
from service.http.evidence.timelines import timeline_lines
from service.http.matches.views import At
from service.http.middleware.page_security import EMBEDDED_PAGE, page_headers
from service.http.people.pages import language_of, missing, page
from service.http.people.pictures import address_of_picture
from service.http.requests.context import base_url, context, root_of
from service.http.requests.dependencies import As
from service.http.requests.qr_codes import qr_code
from service.http.requests.request_form import check_nulls
from service.instance import Instance
from service.web.assets import ADDRESS, board_of
from service.web.game_rules import game_rules

SHOWN = 100
"""Events that the page of an audit has without a script."""

VERIFIER = f"{ADDRESS}/verifier.js"


Shown = str | None
"""A parameter that is there or not, whatever its value."""


class MatchPages(Controller):
    """The pages of a match."""

    @get("/m/{match_id:uuid}", guards=[EVERYBODY])
    async def match(
        self, request: AnyRequest, match_id: FromPath[UUID], as_: As = None, at: At = None
    ) -> ASGIResponse:
        """A match now, or after the first `at` events of an audience. For an audience that is not
        the public it is a frame, the same at every position."""
        check_nulls(request)
        try:
            viewer = _viewer(as_)
            values = await _page_values(context(request).instance, match_id, viewer, at)
        except (UnknownMatch, UnknownPosition, UnknownAudience):
            return await missing(request)
        rules = game_rules(values["match"]["game"], language_of(request).code, root_of(request))
        picture = address_of_picture(match_id, at if viewer == PUBLIC_VIEWER else None)
        return await page(
            request, "match.html", here="match", audience=name_audience(viewer), at=at, rules=rules,
            picture=picture, **values,
        )  # fmt: skip

    @get("/table/{match_id:uuid}", guards=[EVERYBODY])
    async def table(self, request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """The frame of the table."""
        try:
            match, _ = await _match(context(request).instance, match_id)
        except UnknownMatch:
            return await missing(request)
        board = board_of(match["game"])
        return await page(request, "table.html", here="match", match=match, board=board)

    @get("/embed/{match_id:uuid}", guards=[EVERYBODY])
    async def board(self, request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """The board of a match as it is now. It keeps nothing and leads nowhere but to the page of
        the match."""
        headers = page_headers(EMBEDDED_PAGE)
        try:
            _, body = await context(request).instance.sessions.view(match_id, PUBLIC_VIEWER, None)
        except UnknownMatch:
            return await page(request, "embed_missing.html", 404, headers)
        match_view = decode(body)
        board, game = board_of(match_view["game"]), GAMES[match_view["game"]]
        title = match_view.get("title", game.title)
        return await page(
            request, "embed.html", headers=headers, shown=match_view, title=title, board=board
        )

    @get("/m/{match_id:uuid}/audit", guards=[EVERYBODY])
    async def audit(self, request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """The record as everyone may read it: all of it once it is open, else the public's."""
        instance = context(request).instance
        try:
            loaded, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
        except UnknownMatch:
            return await missing(request)
        everything = is_open(loaded.match)
        viewer = MODERATOR if everything else PUBLIC_VIEWER
        first = await instance.sessions.read_shown(match_id, viewer, SHOWN, timeline)
        return await page(
            request,
            "audit.html",
            here="match",
            match=to_builtins(shown_match(loaded.name, public.state)),
            lines=to_builtins(timeline_lines(first)),
            open=everything,
            over=loaded.match.over,
            verifier=VERIFIER,
        )


class UnknownAudience(LookupError):
    """No match has this audience, or this match has not."""


def _viewer(name: str | None) -> Viewer:
    """The audience of an address. Raises UnknownAudience."""
    audience = PUBLIC_VIEWER if name is None else viewer_named(name)
    if audience is None:
        raise UnknownAudience
    return audience


async def _page_values(
    instance: Instance, match_id: UUID, viewer: Viewer, at: int | None
) -> dict[str, Any]:
    """What the page is filled with: of public things alone. Raises UnknownMatch, UnknownPosition or
    UnknownAudience."""
    match, last = await _match(instance, match_id)
    position = at if viewer == PUBLIC_VIEWER else None
    match_view = decode((await instance.sessions.view(match_id, PUBLIC_VIEWER, position))[1])
    if isinstance(viewer, int) and viewer >= len(match["seats"]):
        raise UnknownAudience
    awaited = [match_view["seats"][seat] for seat in match_view["awaiting"]["seats"]]
    board = board_of(match["game"])
    return {
        "match": match,
        "shown": match_view,
        "awaited": awaited,
        "last": last,
        "board": board,
    }


async def _match(instance: Instance, match_id: UUID) -> tuple[dict[str, Any], int]:
    """What everyone may know of a match, and the number of the public's last event. Raises
    UnknownMatch."""
    opened, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
    match = await instance.lists.corrected(shown_match(opened.name, public.state))
    return to_builtins(match), public.seq


class TournamentPages(Controller):
    """The page of a tournament."""

    @get("/t/{tournament_id:uuid}", guards=[EVERYBODY])
    async def tournament(
        self,
        request: AnyRequest,
        tournament_id: FromPath[UUID],
        wall: Annotated[Shown, QueryParameter()] = None,
        print_: Annotated[Shown, QueryParameter(name="print")] = None,
    ) -> ASGIResponse:
        """Standings, rounds, deadlines, roster and rulings as they are now. With `wall` the frame
        of who sits where, for a wall; with `print` that of lists on paper."""
        if wall is not None or print_ is not None:
            return await _frame(request, tournament_id, "wall" if print_ is None else "print")
        instance = context(request).instance
        try:
            loaded, public = await instance.tournament_events.projection(tournament_id)
        except UnknownTournament:
            return await missing(request, "tournament", what="tournament")
        state = loaded.state
        pairings, rows = await _pairings(instance, state), standings(state)
        rulings = await instance.tournament_rulings.list_rulings(tournament_id, PUBLIC_ONLY)
        return await page(
            request,
            "tournament.html",
            here="tournament",
            id=str(tournament_id),
            seq=public.seq,
            cup=state,
            standings=rows,
            stages=await _stages(instance, tournament_id, state),
            verifier=VERIFIER,
            qr=_qr_code(_address(request, tournament_id)),
            titles={game.id: game.title for game in GAMES.values()},
            ranks=_ranks(rows),
            rulings=[
                to_builtins(ruling)
                for ruling in rulings
                if ruling.match is None or ruling.match in pairings["pairing_of"]
            ],
            **pairings,
        )

    @get("/t/{tournament_id:uuid}/me", guards=[EVERYBODY])
    async def own_rounds(self, request: AnyRequest, tournament_id: FromPath[UUID]) -> ASGIResponse:
        """The frame of a player's own page. Its script is given their key."""
        return await _frame(request, tournament_id, "me")

    @get("/t/{tournament_id:uuid}/audit", guards=[EVERYBODY])
    async def event_audit(self, request: AnyRequest, tournament_id: FromPath[UUID]) -> ASGIResponse:
        """The frame of the lists across a tournament and its matches."""
        return await _frame(request, tournament_id, "event_audit")


def _address(request: AnyRequest, tournament: UUID) -> str:
    """The address of a tournament's page, to pass on."""
    server = context(request).instance.settings.server
    return f"{base_url(server.public_url, request)}/t/{tournament}"


_qr_code = lru_cache(64)(qr_code)
"""Of addresses that everyone may know."""


async def _frame(request: AnyRequest, tournament: UUID, name: str) -> ASGIResponse:
    """A page of a tournament that its script fills in, from the public's last event on."""
    try:
        loaded, public = await context(request).instance.tournament_events.projection(tournament)
    except UnknownTournament:
        return await missing(request, "tournament", what="tournament")
    check_in = loaded.state.competition.check_in
    address = _address(request, tournament)
    return await page(
        request,
        f"{name}.html",
        here="tournament",
        id=str(tournament),
        name=loaded.state.name,
        seq=public.seq,
        check_in=None if check_in is None else rfc3339(check_in.closes),
        address=address,
        qr=_qr_code(address) if name == "wall" else None,
    )


async def _stages(instance: Instance, tournament: UUID, state: Tournament) -> list[dict[str, Any]]:
    """The stages with a round, the last one first, each with its name and its standings."""
    with_rounds = [n for n, stage in enumerate(state.competition.stages, 1) if stage.rounds]
    standings_of = instance.rounds.standings
    return [
        {
            "name": state.competition.stages[number - 1].settings.name,
            "rows": (await standings_of(tournament, number, after=None, explain=None)).rows,
        }
        for number in reversed(with_rounds)
    ]


async def _pairings(instance: Instance, state: Tournament) -> dict[str, Any]:
    """The matches by the numbers of their rounds and by their ids, and those that have a deadline,
    the earliest first."""
    numbers = rounds_of(state.matches)
    scheduled = await instance.lists.scheduled(numbers)
    rounds: dict[int, list[dict[str, Any]]] = {}
    for match, added in state.matches.items():
        if match in scheduled:
            row, deadline = scheduled[match].row, scheduled[match].until
            pairing_row = {
                "match": match,
                "game": added.game,
                "seats": row.seats,
                "status": row.status,
                "result": to_builtins(added.result or row.result),
                "counts": added.result is not None,
                "ruled": added.corrected or row.ruled,
                "moderators": [state.moderators[pairing] for pairing in added.moderators],
                "deadline": None if deadline is None else rfc3339(deadline),
            }
            rounds.setdefault(numbers[match], []).append(pairing_row)
    every = [pairing for pairings in rounds.values() for pairing in pairings]
    due = sorted(
        (pairing for pairing in every if pairing["deadline"]),
        key=lambda pairing: pairing["deadline"],
    )
    return {
        "rounds": rounds,
        "due": due,
        "pairing_of": {pairing["match"]: pairing for pairing in every},
    }


def _ranks(rows: Sequence[Standing]) -> list[int]:
    """The place of each row of the standings. Players with equally many wins and shared wins have
    the same place."""
    first = dict[tuple[int, int], int]()
    tallies = ((row.won, row.shared) for row in rows)
    return [first.setdefault(tally, place) for place, tally in enumerate(tallies, 1)]
