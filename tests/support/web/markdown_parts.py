"""The headings and links of a page in Markdown."""

from service.web.markdown import Heading, _add_anchors, _parse


def headings(text: str) -> tuple[Heading, ...]:
    """The headings of a page."""
    return _add_anchors(_parse(text))


def links(text: str) -> list[str]:
    """Every link and image of a page, as the page spells it."""
    return [
        str(token.attrs["src" if token.type == "image" else "href"])
        for block in _parse(text)
        for token in block.children or []
        if token.type in ("link_open", "image")
    ]
