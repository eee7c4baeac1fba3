"""`/play/{match}`: a seat's own page, which an invitation's link opens; and `/organise`, where an
organiser creates tournaments and matches.

Both are the same for everybody. What an invitation is good for stands behind the link's `#`, which
is not sent, and a key is in the browser alone: the scripts use it through the API.
"""

from uuid import UUID

from litestar import Controller, get
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from domain.games import GAMES
from service.http.guards import EVERYBODY
from service.http.people.pages import page
from service.http.problems import AnyRequest
from service.web.assets import board_of, form_of

GAME_FILES = {game: {**board_of(game)._asdict(), "form": form_of(game)} for game in GAMES}
"""What each game brings to be drawn and played with."""


class KeyPages(Controller):
    """The pages of a seat and of an organiser."""

    @get("/play/{match:uuid}", guards=[EVERYBODY])
    async def play(self, request: AnyRequest, match: FromPath[UUID]) -> ASGIResponse:  # noqa: ARG002  for its script
        """The page. Whether there is such a match is not looked up. What a messenger adds to the
        address of a link is ignored."""
        return await page(request, "play.html", here="play", games=GAME_FILES)

    @get("/organise", guards=[EVERYBODY])
    async def organise(self, request: AnyRequest) -> ASGIResponse:
        """The forms, once their script has been given a key."""
        return await page(request, "organise.html", here="organise")
