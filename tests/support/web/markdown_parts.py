"""The headings and links of a page in Markdown."""

from functools import cache

from service.web.markdown import Heading, _add_anchors, parse


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
