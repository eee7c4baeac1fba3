"""Markdown to HTML, for the pages of this package. Raw HTML in a page is shown as text."""

import re
import shlex
from collections.abc import Callable, Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

Resolve = Callable[[str], str | None]
"""From a link as a page spells it to its address on the web; None if it is not served."""

PROMPT = "$ "
"""Stands before a command that the reader types."""

COMMENT = re.compile(r"^<!--\n.*?^-->\n", re.MULTILINE | re.DOTALL)
"""What a page holds for its tests, and does not show."""


class Heading(NamedTuple):
    """A heading; `anchor` is the fragment that leads to it."""

    level: int
    anchor: str
    text: str


class Rendered(NamedTuple):
    """A page as HTML, without a frame, and its headings in order."""

    html: str
    headings: tuple[Heading, ...]


def render(text: str, resolve: Resolve) -> Rendered:
    """Renders a page. A link to what is not served becomes plain text with the path as title."""
    tokens = parse(text)
    headings = _add_anchors(tokens)
    _demote_empty_headers(tokens)
    for token in tokens:
        _resolve_links(token.children or [], resolve)
    return Rendered(_parser.renderer.render(tokens, _parser.options, {}), headings)


def parse(text: str) -> list[Token]:
    """The parts of a page, without what it holds for its tests alone."""
    return _parser.parse(COMMENT.sub("", text))


def _add_anchors(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """Gives each heading an id, spelt as GitHub spells it."""
    headings: list[Heading] = []
    counts: dict[str, int] = {}
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = "".join(child.content for child in inline.children or [])
        anchor = "".join(_slug(character) for character in text.strip().lower())
        repeated = counts.get(anchor, 0)
        counts[anchor] = repeated + 1
        anchor = f"{anchor}-{repeated}" if repeated else anchor
        opening.attrs["id"] = anchor
        headings.append(Heading(int(opening.tag.removeprefix("h")), anchor, text))
    return tuple(headings)


def _demote_empty_headers(tokens: Sequence[Token]) -> None:
    """Makes the header of a column that has none a plain cell: it would announce nothing."""
    for index, token in enumerate(tokens):
        if token.type == "th_open" and not tokens[index + 1].content:
            token.tag = tokens[index + 2].tag = "td"


def _slug(character: str) -> str:
    if character == " ":
        return "-"
    return character if character.isalnum() or character in "-_" else ""


def _resolve_links(inline: Sequence[Token], resolve: Resolve) -> None:
    for index, token in enumerate(inline):
        if token.type == "image":
            _resolve_image(token, resolve)
        elif token.type == "link_open":
            # Links do not nest: the next end is that of this one.
            closing = next(later for later in inline[index:] if later.type == "link_close")
            _resolve_link(token, closing, resolve)


def _resolve_image(image: Token, resolve: Resolve) -> None:
    served = resolve(str(image.attrs["src"]))
    if served is None:
        image.type = "text"  # The content of an image is its alternative text.
    else:
        image.attrs["src"] = served


def _resolve_link(opening: Token, closing: Token, resolve: Resolve) -> None:
    path = str(opening.attrs["href"])
    served = resolve(path)
    if served is None:
        opening.tag = closing.tag = "span"
        opening.attrs = {"title": path}
    else:
        opening.attrs["href"] = served


def _code(content: str, language: str, file: str) -> str:
    """A block of code, which may be that of a file. It scrolls, so the keyboard has to reach it."""
    body = _session(content) if language == "console" else escape(content)
    file_attribute = f' data-file="{escape(file)}"' if file else ""
    code = f'<code class="language-{escape(language)}">{body}</code>'
    return f'<pre tabindex="0"{file_attribute}>{code}</pre>'


def _session(content: str) -> str:
    """What is typed into a shell, with the prompts marked, and what is printed."""
    lines = []
    command = ""
    for line in content.splitlines():
        if line.startswith(PROMPT):
            command = line.removeprefix(PROMPT)
            lines.append(f'<span class="prompt">{PROMPT}</span><b>{escape(command)}</b>')
        elif _goes_on(command):
            command += f"\n{line}"
            lines.append(f"<b>{escape(line)}</b>")
        else:
            lines.append(escape(line))
    return "".join(f"{line}\n" for line in lines)


def _goes_on(command: str) -> bool:
    """Whether a shell waits for another line of the command."""
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return True
    return command.endswith("\\")


# The library hands its renderer, which is bound first, to each rule.


def _table_open(*_: Any) -> str:
    """A wide table scrolls by itself, on a phone."""
    return '<div class="table" tabindex="0"><table>\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _indented_code(_renderer: Any, tokens: Sequence[Token], index: int, *_: Any) -> str:
    return f"{_code(tokens[index].content, '', '')}\n"


def _heading_close(_renderer: Any, tokens: Sequence[Token], index: int, *_: Any) -> str:
    anchor = escape(str(tokens[index - 2].attrs["id"]))
    link = f'<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>'
    return f" {link}</{tokens[index].tag}>\n"


_parser = MarkdownIt("commonmark", {"html": False, "highlight": _code}).enable("table")
_parser.add_render_rule("code_block", _indented_code)
_parser.add_render_rule("table_open", _table_open)
_parser.add_render_rule("table_close", _table_close)
_parser.add_render_rule("heading_close", _heading_close)
