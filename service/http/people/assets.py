"""`/assets/…`: what the pages for people load."""

from litestar import Controller, get
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from service.http.guards import EVERYBODY
from service.http.page_answers import page_answer
from service.http.problems import AnyRequest, Failed
from service.web.assets import ASSETS, RELEASE, TYPES

FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


class PageFiles(Controller):
    """Scripts, styles and pictures."""

    @get("/assets/{name:path}", guards=[EVERYBODY], sync_to_thread=True)
    def asset(self, request: AnyRequest, name: FromPath[str]) -> ASGIResponse:
        """A file by its path. Behind the release, as pages name it, it never changes; that of
        another release is not found."""
        path = name.removeprefix(RELEASE)
        if path not in ASSETS:
            raise Failed("not_found")
        kind = TYPES[path.rpartition(".")[2]]
        return page_answer(request, ASSETS[path], kind, None if path == name else FOREVER)
