"""The texts of the pages are those that templates, scripts and controllers say."""

import re
from collections.abc import Iterator
from pathlib import Path

from service.web.texts import languages

ROOT = Path(__file__).parents[3]
SPEAKERS = ("service/web/pages/*.html", "service/http/people/*.py", "clients/pages/src/**/*.ts*")

QUOTED = re.compile(r"""(["'`])([a-z](?:[\w.-]|\$\{[^}]*\})*)\1( ~)?""")
SAID = re.compile(r"""\bsay\(\s*"([^"$]+)"[,)]""")
FILLED_IN = re.compile(r"\$\{[^}]*\}")
SEVERAL_STEPS = re.compile(r"audit|board|event|option|play")
"""Groups of texts in whose names several steps are filled in at once, as the type of an event."""


def test_every_text_is_said() -> None:
    said = re.compile("|".join(sorted(set(names()))))
    assert not [name for name in languages()["en"].texts if not said.fullmatch(name)]


def test_every_text_that_is_said_exists() -> None:
    said = {name for source in sources() for name in SAID.findall(source)}
    assert said and said <= languages()["en"].texts.keys()


def sources() -> Iterator[str]:
    return (one.read_text() for speaker in SPEAKERS for one in ROOT.glob(speaker))


def names() -> Iterator[str]:
    """The names of texts as expressions, from all that stands in quotes."""
    for source in sources():
        for _, quoted, continued in QUOTED.findall(source):
            step = ".+" if SEVERAL_STEPS.match(quoted) else "[^.]+"
            fixed = (re.escape(part) for part in FILLED_IN.split(quoted))
            yield step.join(fixed) + (".+" if continued else "")
