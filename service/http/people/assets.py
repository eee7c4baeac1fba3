"""`/assets/…`: what the pages for people load."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from litestar import Controller, Response, get
from litestar.params import FromPath

from service.http.access import EVERYBODY
from service.http.page_caching import CachedPages
from service.http.problems import Failed

PAGES = files("service.web").joinpath("pages")

TYPES = {
    "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "png": "image/png",
    "txt": "text/plain",
}  # fmt: skip

FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def _found(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """The files of a folder that pages load, by their paths."""
    for one in folder.iterdir():
        if one.is_dir():
            yield from _found(one, f"{path}/{one.name}")
        elif one.name.rpartition(".")[2] in TYPES:
            yield f"{path}/{one.name}", one


ASSETS = dict(_found(PAGES, "")) | dict(_found(PAGES.joinpath("built"), ""))


class BoardFiles(NamedTuple):
    """The addresses of what draws a game's board: its script and its style, None without one."""

    script: str | None
    style: str | None


def board_of(game: str) -> BoardFiles:
    """What a game brings: `boards/<game>.tsx` of the scripts, and `boards/<game>.css` here."""
    paths = (f"/boards/{game}.js", f"/boards/{game}.css")
    return BoardFiles(*(f"/assets{path}" if path in ASSETS else None for path in paths))


def form_of(game: str) -> str | None:
    """The address of a game's own form to act with, `forms/<game>.tsx` of the scripts."""
    path = f"/forms/{game}.js"
    return f"/assets{path}" if path in ASSETS else None


class PageFiles(Controller):
    """Scripts, styles and pictures."""

    include_in_schema = False
    middleware = (CachedPages(),)

    @get("/assets/{name:path}", security=EVERYBODY, sync_to_thread=True)
    def asset(self, name: FromPath[str]) -> Response[bytes]:
        """A file by its path. What has a hash of its content in its name never changes."""
        if name not in ASSETS:
            raise Failed("not_found")
        kind = TYPES[name.rpartition(".")[2]]
        headers = FOREVER if name.startswith("/chunks/") else None
        return Response(ASSETS[name].read_bytes(), media_type=kind, headers=headers)
