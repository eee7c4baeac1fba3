"""`/t/{id}`: a tournament as everyone may see it.

The page shows what the public's answers of the API say, and nothing else: no key reaches it. What a
key shows is read by the page's script.
"""

from typing import Any
from uuid import UUID

from litestar import Controller
from litestar.params import FromPath
from litestar.response.base import ASGIResponse
from msgspec import to_builtins

from domain.games import GAMES
from projections.rulings.tournament_rulings import PUBLIC_ONLY
from projections.texts.timestamps import rfc3339
from projections.tournaments.tournaments import ShownTournament, rounds_of
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
            shown = await instance.lists.tournament(tournament_id)
        except UnknownTournament:
            return await missing(request, "tournament", what="tournament")
        pairings = await _pairings(instance, shown)
        rulings = await instance.tournament_rulings.listed(tournament_id, PUBLIC_ONLY)
        return await page(
            request,
            "tournament.html",
            here="tournament",
            id=str(tournament_id),
            cup=shown,
            titles={game.id: game.title for game in GAMES.values()},
            ranks=_ranks(shown),
            rulings=[
                to_builtins(one)
                for one in rulings
                if one.match is None or one.match in pairings["pairing_of"]
            ],
            **pairings,
        )


async def _pairings(instance: Instance, shown: ShownTournament) -> dict[str, Any]:
    """The matches by the numbers of their rounds and by their ids, and those that have a deadline,
    the earliest first."""
    numbers = rounds_of(match for match, _ in shown.matches)
    found = await instance.lists.read(lambda index: index.scheduled(numbers))
    rounds: dict[int, list[dict[str, Any]]] = {}
    for match, status in shown.matches:
        if match.match in found:
            row, deadline = found[match.match].row, found[match.match].until
            told = {
                "match": match.match,
                "game": match.game,
                "seats": row.seats,
                "status": status,
                "result": to_builtins(match.result or row.result),
                "counts": match.result is not None,
                "moderators": [shown.moderators[one] for one in match.moderators],
                "deadline": None if deadline is None else rfc3339(deadline),
            }
            rounds.setdefault(numbers[match.match], []).append(told)
    every = [one for pairings in rounds.values() for one in pairings]
    due = sorted((one for one in every if one["deadline"]), key=lambda one: one["deadline"])
    return {"rounds": rounds, "due": due, "pairing_of": {one["match"]: one for one in every}}


def _ranks(shown: ShownTournament) -> list[int]:
    """The place of each row of the standings. Players with equally many wins and shared wins have
    the same place."""
    first = dict[tuple[int, int], int]()
    tallies = ((row.won, row.shared) for row in shown.standings)
    return [first.setdefault(tally, place) for place, tally in enumerate(tallies, 1)]
