"""The verifier's page: one file, built from its sources, that sends no request elsewhere."""

import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from service.web.build import SCRIPTS, SOURCES, page
from tests.support.web.verifier_script import page_answers

NEVER = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
    "import(", "XMLHttpRequest", "WebSocket", "sendBeacon", "localStorage",
)  # fmt: skip
"""Code that would let a bundle become part of the page, or the page send a bundle away."""


class Parsed(HTMLParser):
    """The page's elements, and what is in its style and script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.within: dict[str, str] = {"style": "", "script": ""}
        self.open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open = tag

    def handle_endtag(self, tag: str) -> None:
        self.open = ""

    def handle_data(self, data: str) -> None:
        if self.open in self.within:
            self.within[self.open] += data

    def those(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def parsed() -> Parsed:
    return Parsed(page())


def policy(parsed: Parsed) -> dict[str, list[str]]:
    """The page's policy, by directive."""
    (content,) = (
        meta["content"]
        for meta in parsed.those("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    assert content is not None
    rules = (rule.split() for rule in content.split(";"))
    return {name: allowed for name, *allowed in rules}


def hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_one_command_prints_it() -> None:
    command = [sys.executable, "-m", "service.web.build"]
    assert subprocess.run(command, capture_output=True, check=True).stdout.decode() == page()


def test_every_source_is_in_it() -> None:
    assert {path.stem for path in SOURCES.rglob("*.js")} == set(SCRIPTS)


def test_the_policy_allows_the_page_itself_and_nothing_else(parsed: Parsed) -> None:
    assert policy(parsed) == {
        "default-src": ["'none'"],
        "script-src": [hashed(parsed.within["script"])],
        "style-src": [hashed(parsed.within["style"])],
        "connect-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }


def test_the_policy_comes_before_everything_it_governs(parsed: Parsed) -> None:
    head = [tag for tag, _ in parsed.elements]
    assert head.index("meta") < min(head.index("style"), head.index("script"))


def test_nothing_refers_to_anything_elsewhere(parsed: Parsed) -> None:
    for tag, attributes in parsed.elements:
        assert not {"src", "href", "action", "srcset", "poster", "background"} & set(attributes), (
            tag
        )
        assert not any(name.startswith("on") or name == "style" for name in attributes), tag
    style = parsed.within["style"]
    assert "url(" not in style and "@import" not in style


def test_the_one_request_is_for_the_keys_of_its_own_server(parsed: Parsed) -> None:
    assert re.findall(r"\bfetch\(([^)]*)\)", parsed.within["script"]) == ["'v1/keys'"]


def test_nothing_in_a_bundle_becomes_part_of_the_page(parsed: Parsed) -> None:
    assert [word for word in NEVER if word in parsed.within["script"]] == []


def test_the_script_finds_every_element_that_it_looks_up(parsed: Parsed) -> None:
    ids = {attributes.get("id") for _, attributes in parsed.elements}
    looked_for = set(re.findall(r"byId\('([^']+)'\)", parsed.within["script"]))
    assert looked_for and looked_for <= ids


def test_a_script_that_would_close_its_own_tag_is_not_built(tmp_path: Path) -> None:
    for name in SCRIPTS:
        (tmp_path / f"{name}.js").write_text("'</script>';\n")
    (tmp_path / "page.html").write_text("{{policy}}<style></style>{{script}}")
    with pytest.raises(AssertionError, match="end the script"):
        page(tmp_path)


# How texts of a bundle are shown.


def listed(records: list[object], holding: str = "") -> list[list[str]]:
    (answer,) = page_answers([{"ask": "rows", "records": records, "holding": holding}])
    assert answer.error is None, answer
    rows: list[list[str]] = answer.answer
    return rows


def test_invisible_characters_are_spelt_out() -> None:
    created = {"at": 0, "event": {"type": "match.created.1", "seats": 2}}
    named = [
        {"at": 0, "event": {"type": "match.seat-named.1", "seat": seat, "name": name}}
        for seat, name in enumerate(["A\u202enn", "<b>Ben"])
    ]
    acted = {"at": 1_000_001, "event": {"type": "x.1", "seat": 0, "note": "a\u0000\u2066\nb"}}
    acted_too = {"at": 2_000_000, "event": {"type": "x.1", "seat": 1}}
    assert listed([created, *named, None, acted, acted_too])[1:] == [
        [
            "1",
            "1970-01-01T00:00:00Z",
            r"seat 0, A\u{202e}nn",
            r'match.seat-named.1 {"seat":0,"name":"A\u{202e}nn"}',
        ],
        [
            "2",
            "1970-01-01T00:00:00Z",
            "seat 1, <b>Ben",
            'match.seat-named.1 {"seat":1,"name":"<b>Ben"}',
        ],
        [
            "4",
            "1970-01-01T00:00:01.000001Z",
            r"seat 0, A\u{202e}nn",
            r'x.1 {"seat":0,"note":"a\u0000\u{2066}\nb"}',
        ],
        ["5", "1970-01-01T00:00:02Z", "seat 1, <b>Ben", 'x.1 {"seat":1}'],
    ]


@pytest.mark.parametrize(
    ("holding", "numbers"), [("", "0123"), ("  HEADS ", "2"), ("seat 1", "3"), ("x.1", "123")]
)
def test_events_are_found_by_a_text_in_them(holding: str, numbers: str) -> None:
    created = {"at": 0, "event": {"type": "match.created.1", "seats": 2}}
    others = [
        {"at": 1, "event": {"type": "x.1", "seat": 0}},
        {"at": 1, "event": {"type": "x.1", "seat": 0, "face": "heads"}},
        {"at": 1, "event": {"type": "x.1", "seat": 1}},
    ]
    assert [number for number, *_ in listed([created, *others], holding)] == list(numbers)


def test_its_hashes_are_those_of_the_browser() -> None:
    assert page_answers([{"ask": "agrees"}])[0].answer is True
