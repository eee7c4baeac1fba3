"""Makes the verifier's page, one file that asks nothing of anyone: `python -m service.web.build`
prints it.

What it is made of lies in `verify/`: the template, whose style is in it, and the scripts. The
page's policy (Content Security Policy, level 3) lets nothing run and nothing be shown but these
very bytes.
"""

import json
import sys
from base64 import b64encode
from collections.abc import Iterable
from functools import partial
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from service.web.texts import FALLBACK, languages

SOURCES = Path(__file__).parent / "verify"
STYLE = Path(__file__).parent / "pages/style.css"

SCRIPTS = (
    "bytes", "sha", "msgpack", "forms", "events", "archive", "merkle", "notes", "chance", "bundle",
    "log", "seen", "receipt_check", "seeds", "tournament", "claims", "listing", "arbiter", "page",
)  # fmt: skip
"""The names of all scripts, in the order in which they run."""

COMMAND = "arbiter verify FILE --key KEYS"
"""What judges the rules, too."""

POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""The one request there may be is for the keys of the server that the page came from."""


_TEMPLATES = Environment(
    autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def page(sources: Path = SOURCES, language: str = FALLBACK) -> str:
    """The page as it is handed out, in a language."""
    reader = languages()[language]
    texts = json.dumps(reader.texts_under("verified"), ensure_ascii=False)
    script = f"const TEXTS = {texts};\n{_joined(SCRIPTS, sources)}"
    assert "</script" not in script and "<!--" not in script, "it would end the script"
    source = (sources / "page.html").read_text(encoding="utf-8")
    fill = partial(
        _TEMPLATES.from_string(source).render,
        {"say": reader.say, "language": reader, "languages": languages()},
        script=script,
        tokens=tokens(),
        command=COMMAND,
        written_in=FALLBACK,
    )
    return fill(policy=policy_of(fill(policy="")))


def judging() -> str:
    """The scripts that judge, without the page that shows it: for other pages, as a module."""
    return _joined([name for name in SCRIPTS if name != "page"], SOURCES)


def _joined(names: Iterable[str], sources: Path) -> str:
    return "\n".join((sources / f"{name}.js").read_text(encoding="utf-8") for name in names)


def tokens() -> str:
    """The colours and letters of all pages: the first rule of their style."""
    style = STYLE.read_text(encoding="utf-8")
    start = style.index(":root {")
    return style[start : style.index("}\n", start) + 1]


def policy_of(whole: str) -> str:
    """The policy for a page with the style and the script that are in it."""
    return POLICY.format(**{name: _inline_hash(whole, name) for name in ("script", "style")})


def _inline_hash(whole: str, element: str) -> str:
    """How a policy names what is in the page's one element of this name (Content Security Policy,
    level 3, 2.3.1)."""
    assert whole.count(f"<{element}>") == 1, f"the page has one <{element}>"
    text = whole.partition(f"<{element}>")[2].partition(f"</{element}>")[0]
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


if __name__ == "__main__":
    sys.stdout.write(page())
