"""`/play/{match}`: the page that an invitation's link opens. It is the same for every match and
link: what an invitation is good for stands behind the link's `#`, which is not sent."""

from importlib.resources import files
from uuid import UUID

from litestar import Controller, MediaType, Response, get
from litestar.params import FromPath

from service.http.access import EVERYBODY
from service.http.page_security import INVITATION_PAGE, page_headers
from service.http.problems import Failed

WEB = files("service.web").joinpath("invitation")

PAGE = WEB.joinpath("page.html").read_text()
HEADERS = {"Cache-Control": "no-cache", **page_headers(INVITATION_PAGE)}

ASSETS = {"accept.js": "text/javascript", "page.css": "text/css"}


class InvitationPages(Controller):
    """The page and its files, which are no part of the API's description."""

    path = "/play"
    include_in_schema = False

    @get("/{match:uuid}", security=EVERYBODY, sync_to_thread=False)
    def page(self, match: FromPath[UUID]) -> Response[str]:  # noqa: ARG002  for its script
        """The page. Whether there is such a match is not looked up."""
        return Response(PAGE, media_type=MediaType.HTML, headers=HEADERS)

    @get("/assets/{name:str}", security=EVERYBODY, sync_to_thread=True)
    def asset(self, name: FromPath[str]) -> Response[bytes]:
        """A file that the page loads."""
        if name not in ASSETS:
            raise Failed("not_found")
        headers = {"Cache-Control": "public, max-age=300"}
        return Response(WEB.joinpath(name).read_bytes(), media_type=ASSETS[name], headers=headers)
