"""`/assets/…`: what the pages for people load."""

from litestar import Controller, Response, get
from litestar.params import FromPath

from service.http.guards import EVERYBODY
from service.http.page_caching import CachedPages
from service.http.problems import Failed
from service.web.assets import ASSETS, RELEASE, TYPES

FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


class PageFiles(Controller):
    """Scripts, styles and pictures."""

    include_in_schema = False
    middleware = (CachedPages(),)

    @get("/assets/{name:path}", guards=[EVERYBODY], sync_to_thread=False)
    def asset(self, name: FromPath[str]) -> Response[bytes]:
        """A file by its path. Behind the release, as pages name it, it never changes; that of
        another release is not found."""
        path = name.removeprefix(RELEASE)
        if path not in ASSETS:
            raise Failed("not_found")
        kind = TYPES[path.rpartition(".")[2]]
        return Response(ASSETS[path], media_type=kind, headers=None if path == name else FOREVER)
