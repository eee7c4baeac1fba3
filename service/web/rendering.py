"""Renders the pages that the service sends as HTML, from the templates in `pages/`."""

from collections import OrderedDict
from functools import cache
from hashlib import sha256
from threading import Lock
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from projections.texts import event_fields
from service.web.assets import ADDRESS
from service.web.texts import Language, languages

MOST_BYTES = 16 * 1024 * 1024
"""Maximum size of all pages in memory."""


@cache
def _environment(root: str) -> Environment:
    """Everything that is filled in is escaped; a value that is missing is an error. Every address
    in a template begins with `root`, the prefix below which the service is reached."""
    environment = Environment(
        loader=PackageLoader("service.web", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["texts_of"] = texts_of
    environment.globals["event_fields"] = msgspec.to_builtins(event_fields(), order="sorted")
    environment.globals["assets"] = root + ADDRESS
    environment.globals["root"] = root
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return environment


def rendered(template: str, language: Language, root: str = "", **values: Any) -> bytes:
    """The page of this template in a language, with addresses below `root`."""
    page = _environment(root).get_template(template)
    return page.render(
        say=language.say, language=language, languages=languages(), **values
    ).encode()


class RenderedPages:
    """Pages in memory by everything that they are filled in with: one that did not change is not
    filled in again. At most `most` bytes; those that were asked for last are kept. Any thread may
    use it."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._size = 0
        self._pages: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = Lock()

    def rendered(self, template: str, language: Language, **values: Any) -> bytes:
        """The page of this template in a language."""
        filled = msgspec.msgpack.encode((template, language.code, values))
        key = sha256(filled).digest()
        with self._lock:
            if key in self._pages:
                self._pages.move_to_end(key)
                return self._pages[key]
        page = rendered(template, language, **values)
        with self._lock:
            if key not in self._pages:
                self._pages[key] = page
                self._size += len(page)
            while self._size > self._most:
                self._size -= len(self._pages.popitem(last=False)[1])
        return page


@cache
def texts_of(language: str, *beginnings: str) -> Markup:
    """The texts that a script is sent, as JSON: the same for every page of a kind."""
    return htmlsafe_json_dumps(languages()[language].texts_under(*beginnings), ensure_ascii=False)
