"""The texts of the pages, in each language that they have been translated to.

A translation is one folder of `pages/texts/`, found by looking there, with a file for each group
of pages: texts by name, with `{…}` for what is filled in. What happens in a match is said by the
catalogue of `projections.texts`.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from projections.texts import ENGLISH, Text, catalogue, texts_in

FALLBACK = ENGLISH
FOLDER = files("service.web").joinpath("pages", "texts")


class Language(NamedTuple):
    """A language by its code (RFC 5646), and the texts in it."""

    code: str
    texts: Mapping[str, Text]

    def say(self, name: str, **values: object) -> str:
        """The text with these values. `count` decides which form a text has."""
        text = self.texts[name]
        if isinstance(text, dict):
            text = text["one" if values.get("count") == 1 else "other"]
        return text.format_map(values) if values else text

    def words(self, field: str) -> str:
        """A field of the API or an option of a game in words: by its text, or by its name."""
        texts = (self.texts.get(f"{kind}.{field}") for kind in ("field", "option"))
        return next((text for text in texts if isinstance(text, str)), field.replace("_", " "))

    def value(self, field: str, value: object) -> str:
        """A value of an option or a view: by its text, or as it is."""
        texts = (
            self.texts.get(name) for name in (f"option.{field}.{value}", f"event.value.{value}")
        )
        return next((text for text in texts if isinstance(text, str)), str(value))

    def stage(self, name: str) -> str:
        """What a stage is called: a name that a template has given, in this language."""
        usual = _usual_stages().get(name)
        return name if usual is None else self.say(usual)

    def texts_under(self, *beginnings: str) -> dict[str, Text]:
        """The texts whose names begin with one of these words, and those of one word alone."""
        return {
            name: text
            for name, text in self.texts.items()
            if "." not in name or name.partition(".")[0] in beginnings
        }


@cache
def languages() -> dict[str, Language]:
    """All languages by their codes."""
    return {folder.name: Language(folder.name, _texts(folder)) for folder in FOLDER.iterdir()}


@cache
def _usual_stages() -> dict[object, str]:
    """The texts of the names that templates give, by these names in every language."""
    every = (entry for language in languages().values() for entry in language.texts.items())
    return {text: name for name, text in every if name.startswith("stage.name.")}


def _texts(folder: Traversable) -> dict[str, Text]:
    """The texts of the pages, and those of the catalogue of what happens."""
    own, shared = texts_in(folder), catalogue(folder.name)
    twice = own.keys() & shared.keys()
    assert not twice, f"texts that exist twice: {sorted(twice)}"
    return own | shared


def language_for(accepted: str, chosen: str = "") -> Language:
    """The language that a reader has chosen among those that there are, else the one that they
    prefer by their `Accept-Language` (RFC 9110, section 12.5.4)."""
    if chosen in languages():
        return languages()[chosen]
    preferred = sorted(map(_weighed, accepted.split(",")), key=lambda preference: -preference[1])
    for code, weight in preferred:
        language = languages().get(code)
        if language is not None and weight > 0:
            return language
    return languages()[FALLBACK]


def _weighed(part: str) -> tuple[str, float]:
    """A language without its region, and how much it is wanted, from 0 to 1."""
    tag, _, parameter = part.partition(";")
    try:
        weight = float(parameter.strip().removeprefix("q=") or "1")
    except ValueError:
        weight = 0.0
    return tag.strip().partition("-")[0].lower(), weight
