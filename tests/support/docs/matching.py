"""Whether a command's output equals what a page shows, and the values of the page's
placeholders."""

import re
from collections.abc import Iterator, Mapping, Sequence

PLACEHOLDER = re.compile(r"(arb_[a-z0-9]+_|\b[0-9a-f]{4})…")
INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
PART = re.compile(rf"{PLACEHOLDER.pattern}|(?P<any>…)|(?P<instant>{INSTANT})|(?P<space>\s+)")


class Unknown(Exception):
    """A placeholder stands for nothing that has been printed; the text is the placeholder."""


def matched(shown: str, printed: str) -> dict[str, str] | None:
    """The values of the placeholders in `shown`, from `printed`; None if the texts differ."""
    pattern, names = "", []
    end = 0
    for part in PART.finditer(shown):
        pattern += re.escape(shown[end : part.start()])
        end = part.end()
        if part["any"]:
            pattern += ".*?"
        elif part["instant"]:
            pattern += INSTANT
        elif part["space"]:
            pattern += r"\s*"
        else:
            names.append(part[0])
            pattern += f"({meant(part[1])}).*?"
    pattern += re.escape(shown[end:])
    found = re.fullmatch(pattern, printed.strip(), re.DOTALL)
    if found is None:
        return None
    # The first of a name: what follows is an example of the same, or of another.
    return dict(reversed(list(zip(names, found.groups(), strict=True))))


def meant(prefix: str) -> str:
    """The pattern for the values of a placeholder with this prefix."""
    return rf"{prefix}[0-9a-f_]+" if prefix.startswith("arb_") else UUID


def filled(command: str, known: Mapping[str, str], outputs: Sequence[str]) -> str:
    """The command with keys and ids in place of placeholders: those that are known, or else the
    first in the newest output that has one. Raises Unknown."""

    def value(placeholder: re.Match[str]) -> str:
        if placeholder[0] in known:
            return known[placeholder[0]]
        for found in _newest(meant(placeholder[1]), outputs):
            return found
        raise Unknown(placeholder[0])

    result = PLACEHOLDER.sub(value, command)
    if "…" in result:
        raise Unknown(command)
    return result


def _newest(pattern: str, outputs: Sequence[str]) -> Iterator[str]:
    for output in reversed(outputs):
        found = re.search(pattern, output)
        if found is not None:
            yield found[0]
