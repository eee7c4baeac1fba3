"""Markdown becomes HTML: the content of a page, and nothing that a browser would run."""

import pytest

from service.web.markdown import render
from tests.support.web.documentation_pages import headings, links


def shown(text: str) -> str:
    """A page as HTML, of which everything that ends in `.md` is served."""
    return render(text, lambda link: f"/docs/{link[:-3]}" if link.endswith(".md") else None).html


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("The API by example", "the-api-by-example"),
        ("`arbiter verify`, and then?", "arbiter-verify-and-then"),
        ("A *strong* [link](x.md)", "a-strong-link"),
        ("2026-11-21: uvicorn, not granian", "2026-11-21-uvicorn-not-granian"),
        ("The log: `arbiter-log/1`", "the-log-arbiter-log1"),
        ("snake_case & Ñandú", "snake_case--ñandú"),
    ],
)
def test_a_heading_has_the_anchor_that_github_gives_it(heading: str, anchor: str) -> None:
    assert [found.anchor for found in headings(f"## {heading}\n")] == [anchor]
    assert f'<h2 id="{anchor}">' in shown(f"## {heading}\n")
    assert f'href="#{anchor}"' in shown(f"## {heading}\n")


def test_headings_that_are_alike_have_anchors_of_their_own() -> None:
    found = headings("# Keys\n\n## Keys\n\n### Other\n\n## Keys\n")
    assert [(one.level, one.anchor) for one in found] == [
        (1, "keys"),
        (2, "keys-1"),
        (3, "other"),
        (2, "keys-2"),
    ]


@pytest.mark.parametrize(
    "raw",
    [
        "<script>alert(1)</script>",
        "An <img src=x onerror=alert(1)> in a line",
        "<b>bold</b>",
        "`<script>`",
        "```console\n$ echo '<script>' > page\n<script>\n```",
        "```text\n<script>\n```",
        "    <script>",
        '```python "><script>\npass\n```',
        "| <script> |\n|---|\n| <script> |",
    ],
)
def test_html_in_a_page_is_text(raw: str) -> None:
    html = shown(raw)
    assert "&lt;" in html
    for tag in ("<script", "<img", "<b>bold"):
        assert tag not in html


@pytest.mark.parametrize("target", ["javascript:alert(1)", "data:text/html,x", "vbscript:x"])
def test_a_link_runs_nothing(target: str) -> None:
    html = render(f"[here]({target})", lambda link: link).html
    assert "<a" not in html


def test_a_link_leads_to_the_served_page() -> None:
    assert shown("[Evidence](evidence.md)") == '<p><a href="/docs/evidence">Evidence</a></p>\n'


def test_a_link_to_an_unserved_file_is_text_that_names_the_file() -> None:
    html = shown("See [one](../one.py), [`two`](two.md) and [three](three.py).")
    assert html == (
        '<p>See <span title="../one.py">one</span>, <a href="/docs/two"><code>two</code></a> and '
        '<span title="three.py">three</span>.</p>\n'
    )


def test_a_picture_that_is_not_served_is_described() -> None:
    assert shown("![A board](board.svg)") == "<p>A board</p>\n"
    assert 'src="/docs/board"' in shown("![A board](board.md)")


def test_the_keyboard_reaches_code_however_it_is_marked() -> None:
    for block in ("    a < b\n", "```\na < b\n```\n"):
        assert shown(block).startswith('<pre tabindex="0">'), block
        assert "a &lt; b\n" in shown(block)


def test_a_column_without_a_header_announces_none() -> None:
    html = shown("| Path | |\n|---|---|\n| a | b |\n")
    assert "<th>Path</th>\n<td></td>\n" in html


def test_links_and_pictures_are_found_as_they_are_written() -> None:
    page = "[a](a.md) ![b](b.svg)\n\n- [c](c.md#there)\n\n| [d](d.md) |\n|---|\n| `[e](e.md)` |\n"
    assert links(page) == ("a.md", "b.svg", "c.md#there", "d.md")


def test_prompts_and_commands_differ_from_the_output() -> None:
    html = shown("```console\n$ curl $API \\\n    -d '{}' > a\n{\"b\":1}\n$ ls\n```\n")
    prompt = '<span class="prompt">$ </span>'
    assert html == (
        '<pre tabindex="0"><code class="language-console">'
        f"{prompt}<b>curl $API \\</b>\n<b>    -d &#x27;{{}}&#x27; &gt; a</b>\n"
        f"{{&quot;b&quot;:1}}\n{prompt}<b>ls</b>\n"
        "</code></pre>\n"
    )


@pytest.mark.parametrize(
    "typed",
    ["curl \\\n    $API", "curl -d '{\n}'", 'echo "one\ntwo" # three', "curl \\\n  -d '{\n}'"],
)
def test_a_command_goes_on_as_in_a_shell(typed: str) -> None:
    html = shown(f"```console\n$ {typed}\nprinted # don't\n```\n")
    assert html.count("<b>") == len(typed.splitlines())
    assert "\nprinted #" in html


def test_only_a_session_has_prompts() -> None:
    assert "prompt" not in shown("```text\n$ make serve\n```\n")


def test_a_block_shows_the_name_of_its_file() -> None:
    assert '<pre tabindex="0" data-file="try.mjs">' in shown("```js try.mjs\n1;\n```\n")


def test_a_table_scrolls_by_itself() -> None:
    html = shown("| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert html.startswith('<div class="table" tabindex="0"><table>')
    assert html.endswith("</table></div>\n")


def test_blocks_for_tests_alone_are_not_shown() -> None:
    page = "Before\n\n<!--\n```console\n$ hidden\n```\n-->\n\nAfter\n"
    assert shown(page) == "<p>Before</p>\n<p>After</p>\n"
