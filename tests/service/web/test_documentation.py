"""The documents are complete: each is served and can be found, and everything they name exists."""

import re
import tomllib
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import urlsplit

import pytest

from domain.games import GAMES
from domain.match.submissions import Invalid
from projections.audience.disclosure import may_see
from service.web.documentation import FILES, FOLDER, ROOT, SOURCES, address, documents
from tests.support.repository import ROOT as REPOSITORY
from tests.support.web.documentation_pages import DOCUMENTS, blocks, headings, links, text

OTHERS = {"/", "/schema", "/verify", *(f"/games/{game}" for game in GAMES)}
"""Pages of the service that are no documents."""

ASSETS = "/assets/"
"""What all pages load."""


SETTING = re.compile(r"\bARBITER_[A-Z_]+\b")

ADD_A_GAME = "domain/games/README.md"
BLIND_BID = "domain/games/blind_bid.py"
GIVEN = {BLIND_BID, "projections/boards/blind_bid.py"} | {
    f"projections/texts/{language}/blind-bid.json" for language in ("en", "de")
}
"""Files that the reader of a document writes."""


class Parsed(HTMLParser):
    """The elements of a page, and the anchors in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def all(self, attribute: str) -> list[str]:
        found = (attributes.get(attribute) for _, attributes in self.elements)
        return [value for value in found if value is not None]


@cache
def page(name: str) -> Parsed:
    return Parsed(documents()[name].content.decode())


# Existence.


def test_every_page_and_file_of_the_folder_is_served() -> None:
    folder = {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / FOLDER).rglob("*.*")}
    served = {path for path in SOURCES.values() if path.startswith(FOLDER)}
    assert folder == served | {f"{FOLDER}/{name}" for name in FILES}


def test_every_page_can_be_reached_from_the_first_one() -> None:
    reached, names = {""}, [""]
    while names:
        source = SOURCES[names.pop()]
        for link in links(text(source)):
            served = address(link, source) or ""
            name = urlsplit(served).path.removeprefix(ROOT).removeprefix("/")
            if served.startswith(ROOT) and name in SOURCES and name not in reached:
                reached.add(name)
                names.append(name)
    assert reached == set(SOURCES)


# Links.


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_link_leads_somewhere_in_the_repository(path: str) -> None:
    for link in links(text(path)):
        parts = urlsplit(link)
        if parts.netloc:
            continue
        target = normpath(join(dirname(path), parts.path)) if parts.path else path
        assert (REPOSITORY / target).exists(), link
        if parts.fragment:
            assert parts.fragment in {heading.anchor for heading in headings(text(target))}, link


@pytest.mark.parametrize("name", SOURCES)
def test_a_link_leads_somewhere_on_the_web(name: str) -> None:
    for link in page(name).all("href") + page(name).all("src"):
        parts = urlsplit(link)
        if parts.netloc or parts.path in OTHERS or parts.path.startswith(ASSETS):
            continue
        served = parts.path.removeprefix(ROOT).removeprefix("/") if parts.path else name
        assert not parts.path or parts.path.startswith(ROOT)
        assert served in documents()
        if parts.fragment:
            assert parts.fragment in page(served).all("id")


def test_a_link_is_resolved_from_the_page_that_has_it() -> None:
    assert address("evidence.md#afterwards", f"{FOLDER}/api.md") == "/docs/evidence#afterwards"
    assert address("README.md", f"{FOLDER}/api.md") == "/docs"
    assert address("../../projections/evidence/FORMAT.md", "domain/games/README.md") == (
        "/docs/evidence-format"
    )
    assert address("bot.py", f"{FOLDER}/first-bot.md") == "/docs/bot.py"
    assert address("README.md", "README.md") is None
    assert address("../../../README.md", f"{FOLDER}/api.md") is None
    assert address("#here", f"{FOLDER}/api.md") == "#here"
    assert address("https://example.org/a.md", f"{FOLDER}/api.md") == "https://example.org/a.md"


# Permissions of a page.


@pytest.mark.parametrize("name", SOURCES)
def test_a_page_has_no_script_and_no_style_of_its_own(name: str) -> None:
    for tag, attributes in page(name).elements:
        if tag == "script":
            assert "src" in attributes or attributes["type"] == "application/json"
        assert tag not in ("style", "iframe", "object", "embed", "form", "base")
        assert not any(
            attribute.startswith("on") or attribute == "style" for attribute in attributes
        )


@pytest.mark.parametrize("name", [*SOURCES, *FILES])
def test_a_page_uses_no_other_host(name: str) -> None:
    content = documents()[name].content.decode()
    assert not re.search(r"@import|@font-face", content)
    assert not re.search(r"""(?:src|url\()\s*[=(]?\s*["']?(?:https?:)?//""", content)
    assert 'rel="stylesheet" href="http' not in content


# For everybody.


@pytest.mark.parametrize("name", SOURCES)
def test_a_page_can_be_heard_and_used_by_keyboard(name: str) -> None:
    """What of it a document itself decides; `tests/browser/test_pages.py` has the rest."""
    body = documents()[name].content.decode().partition("<main")[2].partition("</main>")[0]
    levels = [int(level) for level in re.findall(r"<h([1-6])", body)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels)), "no level is left out"
    anchors = re.findall(r'\sid="([^"]*)"', body)
    assert len(anchors) == len(set(anchors))
    assert not re.search(r"<img(?![^>]*\salt=\"[^\"]+\")", body), "a picture without words"
    assert not re.search(r"<a\s[^>]*>\s*</a>|<th[^>]*>\s*</th>", body), "a name that is empty"
    assert len(re.findall("<pre", body)) == len(re.findall('<pre[^>]*tabindex="0"', body))


# Content.


def test_every_setting_is_described() -> None:
    sources = (REPOSITORY / "service").rglob("*.py")
    read = {name for path in sources for name in SETTING.findall(path.read_text())}
    assert set(SETTING.findall(text(f"{FOLDER}/operate.md"))) == read


def test_the_bot_is_shown_as_it_is() -> None:
    bot = (REPOSITORY / FOLDER / "bot.py").read_text()
    shown = [
        block.content for block in blocks(f"{FOLDER}/first-bot.md") if block.language == "python"
    ]
    assert shown
    for part in shown:
        assert part in bot


# The game of `domain/games/README.md`; `tests/test_add_a_game.py` plays it.


@pytest.fixture
def bidding() -> dict[str, Any]:
    """The names that the rules of the game define, and its first state as `start`."""
    (code,) = (block.content for block in blocks(ADD_A_GAME) if block.file == BLIND_BID)
    defined: dict[str, Any] = {"__name__": "blind_bid"}
    exec(code, defined)  # noqa: S102  it is the page's own
    return defined | {"start": defined["initial"](defined["Options"](), 2)}


def test_the_game_hides_the_first_bid(bidding: dict[str, Any]) -> None:
    (placed,) = bidding["decide"](bidding["start"], 0, bidding["Bid"](4))
    assert placed == bidding["BidPlaced"](0, 4)
    assert may_see(0, placed)
    assert not may_see(1, placed)
    assert not may_see("public", placed)


def test_the_game_reveals_both_bids_with_the_second(bidding: dict[str, Any]) -> None:
    bids = bidding["evolve"](bidding["start"], bidding["BidPlaced"](1, 6))
    placed, revealed, won = bidding["decide"](bids, 0, bidding["Bid"](4))
    assert (placed, revealed) == (bidding["BidPlaced"](0, 4), bidding["BidsRevealed"]((4, 6)))
    assert may_see("public", revealed)
    after = bidding["evolve"](bidding["evolve"](bidding["evolve"](bids, placed), revealed), won)
    assert (after.bids, after.winner) == ((4, 6), 1)


def test_the_game_does_not_count_a_second_bid(bidding: dict[str, Any]) -> None:
    bids = bidding["evolve"](bidding["start"], bidding["BidPlaced"](0, 4))
    with pytest.raises(Invalid, match="already_bid"):
        bidding["decide"](bids, 0, bidding["Bid"](5))


# What code and the documents of contributors cite.

CITED = re.compile(r"/docs/([a-z-]+)(?:#([a-z0-9-]+))?(?![a-z0-9/.-])")
OUTSIDE = re.compile(r"\b(?:RULINGS|AUDIT|DESIGN|TOURNAMENTS)(?:\.md)?\s+§")
FILE = re.compile(r"`((?:domain|projections|service|clients|tests|deploy)/[\w./-]+)`")
WORDS = re.compile(r"^\| ((?:`?[a-z_]+`?(?:, )?)+) \| .*\|$", re.MULTILINE)


def test_the_headings_that_code_cites_exist() -> None:
    anchors = {
        name: {heading.anchor for heading in headings(text(path))} for name, path in SOURCES.items()
    }
    for package in ("domain", "projections", "service", "tests"):
        for path in (REPOSITORY / package).rglob("*.py"):
            for name, anchor in CITED.findall(path.read_text()):
                if name in anchors and anchor:
                    assert anchor in anchors[name], f"{path} cites /docs/{name}#{anchor}"


def test_nothing_outside_the_repository_is_cited() -> None:
    for package in ("domain", "projections", "service", "clients/python", "deploy"):
        for path in (REPOSITORY / package).rglob("*"):
            if path.suffix in (".py", ".md", ".json", ".html"):
                assert not OUTSIDE.search(path.read_text()), path


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", ADD_A_GAME])
def test_the_files_that_a_document_names_exist(document: str) -> None:
    for path in FILE.findall(text(document)):
        assert (REPOSITORY / path).exists() or path in GIVEN, path


def test_the_words_of_contributors_are_at_most_40() -> None:
    table = text("CONTRIBUTING.md").partition("## Words")[2].partition("\n## ")[0]
    words = ", ".join(WORDS.findall(table)).split(", ")[1:]
    assert 30 < len(words) == len(set(words)) <= 40


def test_decisions_are_at_most_25_of_eight_lines() -> None:
    _, *decisions = text(f"{FOLDER}/decisions.md").split("\n### ")
    assert len(decisions) <= 25
    for decision in decisions:
        heading, *lines = decision.partition("\n## ")[0].splitlines()
        assert len(list(filter(None, lines))) <= 8, heading


def test_every_package_that_is_installed_is_named_with_what_it_is_for() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    needed = project["dependencies"]
    page = (REPOSITORY / "deploy/README.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \|", page.partition("## What is installed")[2], re.MULTILINE)
    named = [name.split()[0] for row in rows[1:] for name in row.split(",")]
    assert sorted(named) == sorted(re.split(r"[^\w-]", one)[0] for one in needed)
