"""A connection to a running service, or to one match of it, over HTTP, as far as a key allows."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, Protocol, TextIO, TypeVar
from uuid import uuid4

import httpx
import msgspec
import rich_click as click
from msgspec import Struct

from projections.audience import View
from projections.lines import Line
from projections.plain_text import plain
from service.cli.typed_files import TextFile
from service.settings import variables

KEY = "ARBITER_MATCH_KEY"
"""The environment variable with the key for a match."""

LOCAL = "http://127.0.0.1:8000"
"""The address of a service that `make serve` has started."""

PAGE = 1_000
TIMELINE_PAGE = 10_000
SECONDS = 30
"""Time limit of a request; and how long the service may tell us to wait."""
TRIES = 5
"""How often a request is sent while the service says that it is busy."""
BUSY = (429, 503)

T = TypeVar("T")
F = TypeVar("F", bound=Any)

_SERVICE = re.compile(r"https?://[^/@?#\s]+(?:/[^@?#\s]*)?")
_MATCH = re.compile(rf"({_SERVICE.pattern}/v1/matches/[0-9A-Fa-f-]{{36}})/?")


def bearing(key: str) -> dict[str, str]:
    """The Authorization header for a key."""
    return {"Authorization": f"Bearer {key}"}


class ServiceRefused(click.ClickException):
    """The service has refused a request; `code` is stable, `what` is its own sentence."""

    def __init__(self, code: str, what: str) -> None:
        super().__init__(f"the service refuses ({plain(code)}): {what}")
        self.code = code
        self.what = what


class CausedLine(Line, frozen=True):
    """A line of `/timeline`, as far as it is read: whether it is an input, or else the number of
    the one from which it follows."""

    input: bool
    cause: int | None


class _Events(Struct, rename={"lines": "events"}):
    """What is read of a page of `/events`."""

    lines: list[Line]
    next: int | None


class _Timeline(Struct):
    """What is read of a page of `/timeline`."""

    lines: list[CausedLine]
    next: int | None


class _RenewedKey(Struct):
    """What is read of the answer to a renewal."""

    key: str


class _Mistake(Struct):
    """What is read of one wrong part of a request: which it is, and what is wrong."""

    detail: str
    pointer: str | None = None


class _Problem(Struct):
    """What is read of an error (RFC 9457)."""

    title: str
    code: str
    detail: str | None = None
    errors: list[_Mistake] = []

    @property
    def words(self) -> str:
        """The sentences of the document."""
        parts = [
            f"{mistake.pointer.strip('/')}: {mistake.detail}"
            for mistake in self.errors
            if mistake.pointer and mistake.detail
        ]
        return plain(" ".join([self.detail or self.title, *parts]))


def is_address(text: str) -> bool:
    """Whether this is a URL."""
    return text.startswith(("http://", "https://"))


def on_this_machine(url: str) -> bool:
    """Whether the host of the URL is this machine, which no proxy reaches."""
    return httpx.URL(url).host in ("127.0.0.1", "::1", "localhost")


def url_option(default: str | None = None, told: str = "A running service.") -> Callable[[F], F]:
    """`--url`: the address of a service, without a slash at its end."""
    shown = default is not None
    return click.option(
        "--url", default=default, show_default=shown, callback=_checked_url, help=told
    )


def _checked_url(_: click.Context, __: click.Parameter, url: str | None) -> str | None:
    # The address is not repeated: it may have a password in it.
    if url is not None and not _SERVICE.fullmatch(url):
        raise click.BadParameter("an address like https://play.example.org")
    return None if url is None else url.rstrip("/")


def key_option(command: F) -> F:
    """`--key-file`: the key for a service, never from the command line, where others see it."""
    return click.option(
        "--key-file",
        type=TextFile(),
        help=f"A file with the key for the service; - reads it from standard input. [env: {KEY}]",
    )(command)


def read_key(key_file: TextIO | None) -> str | None:
    """The key in this file, or else in the environment; None if there is none. Raises an error for
    the user if it cannot be a key."""
    key = variables(KEY).get(KEY, "") if key_file is None else key_file.read()
    if not key.strip() and key_file is None:
        return None
    return usable_key(key)


def usable_key(text: str) -> str:
    """The key in a text, which may end with a line break. Raises an error for the user if it cannot
    be a key."""
    key = text.strip()
    if not (key.isascii() and key.isprintable() and key.split() == [key]):
        raise click.ClickException("this is no key of the service")
    return key


@contextmanager
def proxy_errors() -> Iterator[None]:
    """Turns what is wrong with the proxy of the environment into an error for the user."""
    try:
        yield
    except (ImportError, ValueError, httpx.InvalidURL):
        raise click.ClickException(
            "the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY cannot be used: give one of HTTP, or"
            " name the service in NO_PROXY"
        ) from None


class ServiceConnection:
    """A connection to a service, to the paths below an address. All methods raise errors for the
    user, in which there is no key."""

    def __init__(self, url: str, key: str | None) -> None:
        headers = {} if key is None else bearing(key)
        self._url = url
        with proxy_errors():
            self._http = httpx.Client(
                headers=headers, timeout=SECONDS, trust_env=not on_this_machine(url)
            )

    def close(self) -> None:
        """Closes it; it must not be used afterwards."""
        self._http.close()

    def get(
        self,
        path: str,
        kind: type[T],
        asked: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """The answer at a path below the address."""
        return answered(self.send("GET", path, None, headers, asked), kind)

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        asked: Mapping[str, Any] | None = None,
    ) -> httpx.Response:
        """The answer to a request, which is sent again while the service is busy."""
        content = None if body is None else msgspec.json.encode(body)
        request = self._http.build_request(
            method,
            f"{self._url}/{path}".rstrip("/"),
            params=asked,
            content=content,
            headers=headers,
        )
        answer = self._http.send(request)
        for _ in range(TRIES - 1):
            wait = wait_told(answer)
            if wait is None:
                break
            time.sleep(wait)
            answer = self._http.send(request)
        if not answer.is_success:
            raise refusal(answer)
        return answer

    def renew_key(self) -> str:
        """Makes the key its holder's, and sends the new one, which is returned, from now on."""
        api = self._url.rpartition("/v1")[0]
        request = self._http.build_request(
            "POST", f"{api}/v1/keys/renew", headers={"Idempotency-Key": uuid4().hex}
        )
        try:
            answer = self._http.send(request)
        except httpx.TransportError:
            # With the same idempotency key an answer that was lost is given again.
            answer = self._http.send(request)
        if not answer.is_success:
            raise refusal(answer)
        new = answered(answer, _RenewedKey).key
        self._http.headers.update(bearing(new))
        return new


class Page(Protocol):
    """A page of a list; `next` is the `after` of the page that follows."""

    @property
    def next(self) -> int | None: ...


P = TypeVar("P", bound=Page)


class MatchConnection(ServiceConnection):
    """A connection to one match of a service."""

    def __init__(self, url: str, key: str | None) -> None:
        super().__init__(url, key)
        self.match = url.rpartition("/")[2].lower()

    def view(self, audience: str | None, at: int | None = None) -> View:
        """What an audience, by default that of the key, sees now, or saw after so many events."""
        asked = {"as": audience, "at": at}
        return self.get("view", View, {k: v for k, v in asked.items() if v is not None})

    def lines(self, audience: str, after: int = 0) -> Iterator[Line]:
        """All events of an audience by now, behind this number."""
        for page in self.pages("events", _Events, PAGE, {"as": audience}, after):
            yield from page.lines

    def timeline(self, audience: str) -> Iterator[CausedLine]:
        """All events of an audience by now, with their causes."""
        for page in self.pages("timeline", _Timeline, TIMELINE_PAGE, {"as": audience}):
            yield from page.lines

    def pages(
        self,
        path: str,
        kind: type[P],
        limit: int = PAGE,
        asked: Mapping[str, Any] | None = None,
        begun: int = 0,
    ) -> Iterator[P]:
        """Every page of a list."""
        after: int | None = begun
        while after is not None:
            page = self.get(path, kind, {**(asked or {}), "after": after, "limit": limit})
            yield page
            if page.next is not None and page.next <= after:
                raise foreign("its pages do not end")
            after = page.next


@contextmanager
def connected(address: str, key: str | None) -> Iterator[MatchConnection]:
    """A connection to the match at an address like `https://play.example.org/v1/matches/<id>`.
    Raises an error for the user if it is none, or if the service cannot be reached."""
    with reaching(), closing(MatchConnection(match_at(address), key)) as connection:
        yield connection


def match_at(address: str) -> str:
    """The address of a match as paths are added to it. Raises an error for the user if it is
    none."""
    found = _MATCH.fullmatch(address)
    if found is None:
        raise click.ClickException("the address of a match is https://…/v1/matches/<id>")
    return found[1]


@contextmanager
def connected_service(url: str, key: str | None) -> Iterator[ServiceConnection]:
    """A connection to all that a service has below its address, `/v1`. Raises an error for the user
    if it cannot be reached."""
    with reaching(), closing(ServiceConnection(f"{url}/v1", key)) as connection:
        yield connection


@contextmanager
def reaching() -> Iterator[None]:
    """Raises an error for the user if the service cannot be reached."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        why = str(error) or type(error).__name__
        raise click.ClickException(f"the service cannot be reached: {plain(why)}") from None


def answered(answer: httpx.Response, kind: type[T]) -> T:
    """What an answer says. Raises an error for the user if it is something else."""
    try:
        return msgspec.json.decode(answer.content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise foreign(str(error)) from None


def foreign(why: str) -> click.ClickException:
    """An error for the user: this is no service of this release."""
    return click.ClickException(
        "this does not answer as a service of this release does; it may be older or newer, or"
        f" something else: {plain(why)}"
    )


def wait_told(answer: httpx.Response) -> int | None:
    """The seconds after which to ask again; None if that is no use."""
    said = answer.headers.get("retry-after", "")
    if answer.status_code not in BUSY or not said.isdecimal() or int(said) > SECONDS:
        return None
    return int(said)


def refusal(answer: httpx.Response) -> click.ClickException:
    """What an error of the service means for the user."""
    if answer.is_redirect:
        to = plain(answer.headers.get("location", "another address"))
        return click.ClickException(f"the service is elsewhere: {to}")
    try:
        problem = msgspec.json.decode(answer.content, type=_Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return foreign(f"status {answer.status_code} without a problem document")
    what = problem.words
    if answer.status_code in (401, 403):
        what += f" Give the key by --key-file or {KEY}."
    return ServiceRefused(problem.code, what)
