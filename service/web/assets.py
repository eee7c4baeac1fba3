"""What pages for people load, at addresses that carry its content: no page mixes the scripts of two
releases."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from service.web.build import judging

PAGES = files("service.web").joinpath("pages")

TYPES = {
    "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "png": "image/png",
    "txt": "text/plain", "webmanifest": "application/manifest+json",
}  # fmt: skip


def _find_files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """The files of a folder that pages load, by their paths."""
    for item in folder.iterdir():
        if item.is_dir():
            yield from _find_files(item, f"{path}/{item.name}")
        elif item.name.rpartition(".")[2] in TYPES:
            yield f"{path}/{item.name}", item.read_bytes()


def _digest(assets: Mapping[str, bytes]) -> str:
    whole = sha256()
    for path in sorted(assets):
        whole.update(b"%b %d " % (path.encode(), len(assets[path])) + assets[path])
    return whole.hexdigest()[:16]


ASSETS = {
    **dict(_find_files(PAGES, "")),
    **dict(_find_files(PAGES.joinpath("built"), "")),
    "/verifier.js": judging().encode(),
}
"""The content of each file, by its path."""

RELEASE = f"/{_digest(ASSETS)}"
"""What stands before the path in an address. It names the content of all files together: scripts
load one another by addresses relative to their own."""

ADDRESS = f"/assets{RELEASE}"


class BoardFiles(NamedTuple):
    """The addresses of what draws a game's board: its script and its style, None without one."""

    script: str | None
    style: str | None


def board_of(game: str) -> BoardFiles:
    """What a game brings: `boards/<game>.tsx` of the scripts, and `boards/<game>.css` here."""
    return BoardFiles(_address(f"/boards/{game}.js"), _address(f"/boards/{game}.css"))


def form_of(game: str) -> str | None:
    """The address of a game's own form to act with, `forms/<game>.tsx` of the scripts."""
    return _address(f"/forms/{game}.js")


def _address(path: str) -> str | None:
    return f"{ADDRESS}{path}" if path in ASSETS else None
