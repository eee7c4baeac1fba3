"""The documentation as pages for the browser, rendered from the Markdown in the packages."""

from hashlib import sha256
from html import escape
from importlib.resources import files
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import urlsplit

from service.web.first_use import made_at_first_use
from service.web.markdown import Heading, Rendered, render

ROOT = "/docs"

FOLDER = "service/web/docs"
"""Where the pages and what they show lie, as a path in the repository."""

SOURCES = {
    "": f"{FOLDER}/README.md",
    "api": f"{FOLDER}/api.md",
    "events": f"{FOLDER}/events.md",
    "versions": f"{FOLDER}/versions.md",
    "api-changes": f"{FOLDER}/api-changes.md",
    "first-bot": f"{FOLDER}/first-bot.md",
    "own-frontend": f"{FOLDER}/own-frontend.md",
    "terminal": f"{FOLDER}/terminal.md",
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
    "decisions": f"{FOLDER}/decisions.md",
}
"""The pages in the order of the menu, by their names in addresses: paths in the repository. Each
lies in a package, so an installed service has them all."""

FILES = {
    "style.css": "text/css",
    "board.svg": "image/svg+xml",
    "bot.py": "text/x-python",
    "match.mjs": "text/javascript",
}
"""What the pages show or offer, and its media type."""

FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="{root}/style.css">
</head>
<body>
<header><a href="{root}"><b>Arbiter</b></a> <a href="/schema">API</a> <a href="/verify">Verifier</a>
</header>
<div class="columns">
<main>
{content}</main>
<nav aria-label="Pages">
<ul>
{menu}</ul>
</nav>
</div>
</body>
</html>
"""


class Document(NamedTuple):
    """Something to serve: `tag` changes with the content."""

    content: bytes
    media_type: str
    tag: str


@made_at_first_use
def documents() -> dict[str, Document]:
    """Every page and file by its name in addresses; the first page has the empty name."""
    pages = {name: _rendered(path) for name, path in SOURCES.items()}
    served = {name: _document(_page(name, pages), "text/html") for name in pages}
    for name, media_type in FILES.items():
        served[name] = _document(_content(f"{FOLDER}/{name}"), media_type)
    return served


def address(link: str, page: str) -> str | None:
    """The address of a link in the page at a path of the repository; None if it is not served."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or not parts.path:
        return link
    target = normpath(join(dirname(page), parts.path))
    served = _ADDRESSES.get(target)
    if served is None:
        return None
    return f"{served}#{parts.fragment}" if parts.fragment else served


_ADDRESSES = {path: f"{ROOT}/{name}".rstrip("/") for name, path in SOURCES.items()} | {
    f"{FOLDER}/{name}": f"{ROOT}/{name}" for name in FILES
}


def _rendered(path: str) -> Rendered:
    return render(_content(path).decode(), lambda link: address(link, path))


def _content(path: str) -> bytes:
    package, *inner = path.split("/")
    return files(package).joinpath(*inner).read_bytes()


def _document(content: bytes, media_type: str) -> Document:
    return Document(content, media_type, f'"{sha256(content).hexdigest()[:32]}"')


def _page(name: str, pages: dict[str, Rendered]) -> bytes:
    title = _title(pages[name])
    framed = FRAME.format(
        root=ROOT,
        title=escape(title if name == "" else f"{title} · Arbiter"),
        content=pages[name].html,
        menu="".join(_entry(one, page, current=one == name) for one, page in pages.items()),
    )
    return framed.encode()


def _entry(name: str, page: Rendered, *, current: bool) -> str:
    """A page in the menu; of the current page its sections too."""
    link = f'<a href="{_ADDRESSES[SOURCES[name]]}"'
    if not current:
        return f"<li>{link}>{escape(_title(page))}</a></li>\n"
    sections = "".join(map(_section, page.headings))
    return f'<li>{link} aria-current="page">{escape(_title(page))}</a><ul>{sections}</ul></li>\n'


def _section(heading: Heading) -> str:
    if heading.level != 2:
        return ""
    return f'<li><a href="#{escape(heading.anchor)}">{escape(heading.text)}</a></li>'


def _title(page: Rendered) -> str:
    return page.headings[0].text
