"""The documents of the repository, and their contents that can be checked."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from service.web.documentation import SOURCES
from service.web.markdown import COMMENT, Heading, _add_anchors, parse
from tests.support.repository import ROOT

SERVED = tuple(SOURCES.values())
DOCUMENTS = (
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "deploy/README.md", *SERVED,
)  # fmt: skip
"""Everything that is written for readers, as paths in the repository."""

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of code: its language, the file it is for, if any, and its content."""

    language: str
    file: str
    content: str


def text(path: str) -> str:
    """A document as readers see it."""
    return COMMENT.sub("", (ROOT / path).read_text())


def blocks(path: str) -> Iterator[Block]:
    """The blocks of code in a document."""
    for info, content in BLOCK.findall(text(path)):
        language, _, file = info.partition(" ")
        yield Block(language, file, content)


@cache
def headings(text: str) -> tuple[Heading, ...]:
    return _add_anchors(parse(text))


@cache
def links(text: str) -> tuple[str, ...]:
    """Every link and image of a page, as the page spells it."""
    return tuple(
        str(token.attrs["src" if token.type == "image" else "href"])
        for block in parse(text)
        for token in block.children or []
        if token.type in ("link_open", "image")
    )
