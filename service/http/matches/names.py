"""`/v1/matches/{id}/seats/{n}/name`: the name of a seat is withheld."""

from typing import Annotated

from litestar import Controller
from litestar.params import PathParameter

from service.http.access.guards import ORGANISER
from service.http.description.described import problems
from service.http.description.routing import delete
from service.http.requests.dependencies import Sent

SeatOfPath = Annotated[int, PathParameter(description="The number of the seat, from 0")]


class SeatNamesController(Controller):
    """The names of seats."""

    path = "/v1/matches/{match_id:uuid}/seats/{seat:int}/name"
    tags = ("matches",)

    @delete(
        summary="Withhold the name of a seat",
        response_description="It is shown no more",
        guards=[ORGANISER],
        opt=problems("no_such_seat seat_name_taken of_tournament"),
    )
    async def withhold_seat_name(self, sent: Sent, seat: SeatOfPath) -> None:
        """Needs an organiser's key. Every name that the seat has had is `Player N` from now on,
        everywhere and at every position, and stored no more. It cannot be had back. In a tournament
        the name is its player's (409 `of_tournament`): there it is that of someone else who has
        taken over the seat, with 512 and the number of the seat for N."""
        await sent.instance.withheld_names.of_seat(sent.id, seat)
