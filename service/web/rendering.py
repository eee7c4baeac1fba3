"""Renders the pages that the service sends as HTML, from the templates in `pages/`."""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from service.web.texts import Language, languages


@cache
def _environment(root: str) -> Environment:
    """Everything that is filled in is escaped; a value that is missing is an error. Every address
    in a template begins with `root`, the prefix below which the service is reached."""
    made = Environment(
        loader=PackageLoader("service.web", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["texts_of"] = texts_of
    made.globals["root"] = root
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return made


def rendered(template: str, language: Language, root: str = "", **values: Any) -> bytes:
    """The page of this template in a language, with addresses below `root`."""
    page = _environment(root).get_template(template)
    return page.render(
        say=language.say, language=language, languages=languages(), **values
    ).encode()


@cache
def texts_of(language: str, *beginnings: str) -> Markup:
    """The texts that a script is sent, as JSON: the same for every page of a kind."""
    return htmlsafe_json_dumps(languages()[language].named(*beginnings), ensure_ascii=False)
