"""The documentation as pages for the browser, rendered from the Markdown in the packages."""

from functools import partial
from importlib.resources import files
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import urlsplit

from domain.games import GAMES
from service.web.first_use import made_at_first_use
from service.web.game_rules import rules_source
from service.web.markdown import Heading, Rendered, render
from service.web.rendering import rendered
from service.web.texts import FALLBACK, Language, languages

ROOT = "/docs"

FOLDER = "service/web/docs"
"""Where the pages and what they show lie, as a path in the repository."""

SOURCES = {
    "": f"{FOLDER}/README.md",
    "people": f"{FOLDER}/people.md",
    "api": f"{FOLDER}/api.md",
    "versions": f"{FOLDER}/versions.md",
    "first-bot": f"{FOLDER}/first-bot.md",
    "own-frontend": f"{FOLDER}/own-frontend.md",
    "sealed-phases": f"{FOLDER}/sealed-phases.md",
    "command-line": f"{FOLDER}/command-line.md",
    "notices": f"{FOLDER}/notices.md",
    "rulings": f"{FOLDER}/rulings.md",
    "cases": f"{FOLDER}/cases.md",
    "notation": f"{FOLDER}/notation.md",
    "tournaments": f"{FOLDER}/tournaments.md",
    "evidence": f"{FOLDER}/evidence.md",
    "evidence-format": "projections/evidence/FORMAT.md",
    "add-a-game": "domain/games/README.md",
    "operate": f"{FOLDER}/operate.md",
    "alerts": f"{FOLDER}/alerts.md",
    "decisions": f"{FOLDER}/decisions.md",
}
"""The pages in the order of the menu, by their names in addresses: paths in the repository. Each
lies in a package, so an installed service has them all."""

FILES = {"style.css": "text/css", "bot.py": "text/x-python", "match.mjs": "text/javascript"}
"""What the pages show or offer, and its media type."""


class MenuPage(NamedTuple):
    """A page in the menu; the current one is shown with its sections."""

    address: str
    title: str
    current: bool
    sections: list[Heading]


class Document(NamedTuple):
    """Something to serve."""

    content: bytes
    media_type: str


@made_at_first_use
def documents(root: str = "", language: str = FALLBACK) -> dict[str, Document]:
    """Every page and file by its name in addresses; the first page has the empty name. Links begin
    with `root`. What stands around the text is in the language."""
    pages, reader = _rendered(root), languages()[language]
    served = {name: Document(_page(name, pages, root, reader), "text/html") for name in pages}
    for name, media_type in FILES.items():
        served[name] = Document(_content(f"{FOLDER}/{name}"), media_type)
    return served


@made_at_first_use
def _rendered(root: str) -> dict[str, Rendered]:
    return {
        name: render(_content(path).decode(), partial(address, page=path, root=root))
        for name, path in SOURCES.items()
    }


def _address(name: str) -> str:
    return f"{ROOT}/{name}".rstrip("/")


def address(link: str, page: str, root: str = "") -> str | None:
    """The address below `root` of a link in the page at a path of the repository; None if it is not
    served."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or not parts.path:
        return link
    target = normpath(join(dirname(page), parts.path))
    served = _ADDRESSES.get(target)
    if served is None:
        return None
    return f"{root}{served}#{parts.fragment}" if parts.fragment else root + served


_ADDRESSES = {
    **{path: _address(name) for name, path in SOURCES.items()},
    **{f"{FOLDER}/{name}": f"{ROOT}/{name}" for name in FILES},
    **{rules_source(game): f"/games/{game}" for game in GAMES},
}


def _content(path: str) -> bytes:
    package, *inner = path.split("/")
    return files(package).joinpath(*inner).read_bytes()


def _page(name: str, pages: dict[str, Rendered], root: str, language: Language) -> bytes:
    return rendered(
        "docs.html",
        language,
        root,
        here="docs",
        written_in=FALLBACK,
        public_url=None,
        path=_address(name),
        title=_title(pages[name]),
        content=pages[name].html,
        menu=[
            MenuPage(
                _address(other),
                _title(page),
                other == name,
                [part for part in page.headings if part.level == 2],
            )
            for other, page in pages.items()
        ],
    )


def _title(page: Rendered) -> str:
    return page.headings[0].text
