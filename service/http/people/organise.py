"""`/organise`: where an organiser creates tournaments and matches.

The page is the same for everybody: what it does, its script does with the organiser's key.
"""

from litestar import Controller, Response, get

from service.http.access import EVERYBODY
from service.http.parameters import allow_only
from service.http.people.pages import page
from service.http.problems import AnyRequest


class OrganisePage(Controller):
    """The page for organisers."""

    include_in_schema = False

    @get("/organise", security=EVERYBODY)
    async def organise(self, request: AnyRequest) -> Response[bytes]:
        """The forms, once their script has been given a key."""
        allow_only(request)
        return await page(request, "organise.html", here="organise")
