"""Makes the verifier's page, one file that asks nothing of anybody: `python -m service.web.build`.

What it is made of lies in `verify/`: the template, whose style is in it, and the scripts. A game is
one script in `verify/games/`, which is found by looking there. The page's policy (Content Security
Policy, level 3) lets nothing run and nothing be shown but these very bytes.
"""

from pathlib import Path

from service.web.inline_code import inline, source_hash

SOURCES = Path(__file__).parent / "verify"
STYLE = Path(__file__).parent / "pages/style.css"
PAGE = Path(__file__).parent / "verify.html"

BEFORE_GAMES = ("bytes", "sha", "msgpack", "forms", "games")
"""The scripts that a game needs to register itself, and what those need, in order."""

AFTER_GAMES = (
    "ruling_events", "events", "archive", "merkle", "notes", "chance", "options", "people",
    "commands", "match_rulings", "match_cases", "match_state", "pauses", "protests", "play", "live",
    "history", "looking_back", "rewinding", "rulings", "match", "inputs", "rejudge", "bundle",
    "log", "receipt_check", "seeds", "ending", "claims", "listing", "arbiter", "page",
)  # fmt: skip

POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""The one request there may be is for the keys of the server that the page came from."""


def scripts(sources: Path = SOURCES) -> list[str]:
    """The names of all scripts, in the order in which they run."""
    games = sorted(path.stem for path in (sources / "games").glob("*.js"))
    return [*BEFORE_GAMES, *(f"games/{game}" for game in games), *AFTER_GAMES]


def page(sources: Path = SOURCES) -> str:
    """The page as it is handed out."""
    template = (sources / "page.html").read_text()
    script = "\n".join((sources / f"{name}.js").read_text() for name in scripts(sources))
    assert "</script" not in script and "<!--" not in script, "it would end the script"
    whole = _filled(_filled(template, "{{script}}", script), "{{tokens}}", tokens())
    return _filled(whole, "{{policy}}", policy_of(whole))


def judging(sources: Path = SOURCES) -> str:
    """The scripts that judge, without the page that shows it: for other pages, as a module."""
    return "\n".join(
        (sources / f"{name}.js").read_text() for name in scripts(sources) if name != "page"
    )


def tokens() -> str:
    """The colours and letters of all pages: the first rule of their style."""
    style = STYLE.read_text()
    start = style.index(":root {")
    return style[start : style.index("}\n", start) + 1]


def policy_of(whole: str) -> str:
    """The policy for a page with the style and the script that are in it."""
    hashes = {name: source_hash(inline(whole, name)) for name in ("script", "style")}
    return POLICY.format(**hashes)


def _filled(template: str, mark: str, text: str) -> str:
    assert template.count(mark) == 1, f"the template has {mark} in it once"
    return template.replace(mark, text)


if __name__ == "__main__":
    PAGE.write_text(page())
