"""Renders the pages that the service sends as HTML, from the templates in `pages/`."""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from service.web.texts import Language, languages


@cache
def _environment() -> Environment:
    """Everything that is filled in is escaped; a value that is missing is an error."""
    made = Environment(
        loader=PackageLoader("service.web", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["words"] = words
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return made


def rendered(template: str, language: Language, **values: Any) -> bytes:
    """The page of this template in a language."""
    page = _environment().get_template(template)
    return page.render(
        say=language.say, language=language, languages=languages(), **values
    ).encode()


def words(field: str) -> str:
    """The name of a field as words."""
    return field.replace("_", " ")
