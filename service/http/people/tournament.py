"""`/t/{id}`: a tournament as everyone may see it.

The page shows what the public's answers of the API say, and nothing else: no key reaches it. What a
key shows is read by the page's script.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from litestar import Controller
from litestar.params import FromPath
from litestar.response.base import ASGIResponse
from msgspec import to_builtins

from domain.games import GAMES
from domain.tournament.state import Tournament
from projections.rulings.tournament_rulings import PUBLIC_ONLY
from projections.texts.timestamps import rfc3339
from projections.tournaments.standings import Standing, standings
from projections.tournaments.tournaments import rounds_of
from service.event_store.errors import UnknownTournament
from service.http.access.guards import EVERYBODY
from service.http.description.routing import get
from service.http.errors.problems import AnyRequest
from service.http.people.pages import missing, page
from service.http.requests.context import context
from service.instance import Instance


class TournamentPages(Controller):
    """The page of a tournament."""

    @get("/t/{tournament_id:uuid}", guards=[EVERYBODY])
    async def tournament(self, request: AnyRequest, tournament_id: FromPath[UUID]) -> ASGIResponse:
        """Standings, rounds, deadlines, roster and rulings as they are now."""
        instance = context(request).instance
        try:
            state = (await instance.tournaments.current(tournament_id)).state
        except UnknownTournament:
            return await missing(request, "tournament", what="tournament")
        pairings, rows = await _pairings(instance, state), standings(state)
        rulings = await instance.tournament_rulings.listed(tournament_id, PUBLIC_ONLY)
        return await page(
            request,
            "tournament.html",
            here="tournament",
            id=str(tournament_id),
            cup=state,
            standings=rows,
            titles={game.id: game.title for game in GAMES.values()},
            ranks=_ranks(rows),
            rulings=[
                to_builtins(one)
                for one in rulings
                if one.match is None or one.match in pairings["pairing_of"]
            ],
            **pairings,
        )


async def _pairings(instance: Instance, state: Tournament) -> dict[str, Any]:
    """The matches by the numbers of their rounds and by their ids, and those that have a deadline,
    the earliest first."""
    numbers = rounds_of(state.matches)
    found = await instance.lists.scheduled(numbers)
    rounds: dict[int, list[dict[str, Any]]] = {}
    for match, added in state.matches.items():
        if match in found:
            row, deadline = found[match].row, found[match].until
            told = {
                "match": match,
                "game": added.game,
                "seats": row.seats,
                "status": row.status,
                "result": to_builtins(added.result or row.result),
                "counts": added.result is not None,
                "moderators": [state.moderators[one] for one in added.moderators],
                "deadline": None if deadline is None else rfc3339(deadline),
            }
            rounds.setdefault(numbers[match], []).append(told)
    every = [one for pairings in rounds.values() for one in pairings]
    due = sorted((one for one in every if one["deadline"]), key=lambda one: one["deadline"])
    return {"rounds": rounds, "due": due, "pairing_of": {one["match"]: one for one in every}}


def _ranks(rows: Sequence[Standing]) -> list[int]:
    """The place of each row of the standings. Players with equally many wins and shared wins have
    the same place."""
    first = dict[tuple[int, int], int]()
    tallies = ((row.won, row.shared) for row in rows)
    return [first.setdefault(tally, place) for place, tally in enumerate(tallies, 1)]
