"""Reads a match of a running service over HTTP, as far as a key allows."""

import re
import time
from collections.abc import Iterator
from typing import Any, TypeVar

import httpx
import msgspec
import rich_click as click
from msgspec import Struct

from domain.events import Event, Record
from projections.disclosure import Viewer, viewer
from projections.lines import Line, record_of
from projections.plain_text import plain
from service.cli.progress import progress_bar

PAGE = 1_000
SECONDS = 30
"""Time limit of a request; and how long the service may tell us to wait."""
TRIES = 5
"""How often a request is sent while the service says that it is busy."""
BUSY = (429, 503)

T = TypeVar("T")

_MATCH = re.compile(r"(https?://[^/@?#\s]+(?:/[^@?#\s]*)?/v1/matches/[0-9A-Fa-f-]{36})/?")


class ReadMatch(Struct, frozen=True):
    """What a service shows of a match: the events of one audience, in its own count."""

    match: str
    audience: Viewer
    records: list[Record[Event]]


class _Seen(Struct):
    """What is read of the answer of `/view`."""

    match: str
    audience: str
    seq: int


class _Page(Struct):
    """What is read of a page of `/events`."""

    events: list[Line]
    next: int | None


class _Problem(Struct):
    """What is read of an error (RFC 9457)."""

    title: str
    code: str
    detail: str | None = None


def is_address(text: str) -> bool:
    """Whether this is a URL."""
    return text.startswith(("http://", "https://"))


def on_this_machine(url: str) -> bool:
    """Whether the host of the URL is this machine, which no proxy reaches."""
    return httpx.URL(url).host in ("127.0.0.1", "::1", "localhost")


def read_match(address: str, key: str | None, audience: str | None) -> ReadMatch:
    """The match at an address like `https://play.example.org/v1/matches/<id>`, as this audience,
    or else as that of the key. Raises an error for the user, in which there is no key."""
    found = _MATCH.fullmatch(address)
    if found is None:
        raise click.ClickException("the address of a match is https://…/v1/matches/<id>")
    try:
        with _Reader(found[1], key) as reader:
            return reader.read(audience)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        why = str(error) or type(error).__name__
        raise click.ClickException(f"the service cannot be reached: {plain(why)}") from None


class _Reader:
    """A connection to one match of a service."""

    def __init__(self, url: str, key: str | None) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._url = url
        self._http = httpx.Client(
            headers=headers, timeout=SECONDS, trust_env=not on_this_machine(url)
        )

    def __enter__(self) -> "_Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def read(self, audience: str | None) -> ReadMatch:
        """Everything that the audience may see by now."""
        asked = {} if audience is None else {"as": audience}
        seen = self._get("view", _Seen, asked)
        reader = viewer(seen.audience)
        if reader is None or seen.match != self._url.rpartition("/")[2].lower():
            raise _foreign("it shows another match, or an audience that there is not")
        records: list[Record[Event]] = []
        with progress_bar() as bar:
            task = bar.add_task("reading events", total=seen.seq)
            for line in self._lines(seen.audience):
                if line.seq != len(records) + 1:
                    raise _foreign(f"event {line.seq} stands where {len(records) + 1} should")
                records.append(_record(line))
                bar.update(task, completed=line.seq)
        return ReadMatch(seen.match, reader, records)

    def _lines(self, audience: str) -> Iterator[Line]:
        after: int | None = 0
        while after is not None:
            page = self._get("events", _Page, {"as": audience, "after": after, "limit": PAGE})
            yield from page.events
            if page.next is not None and page.next <= after:
                raise _foreign("its pages do not end")
            after = page.next

    def _get(self, path: str, kind: type[T], asked: dict[str, Any]) -> T:
        answer = self._http.get(f"{self._url}/{path}", params=asked)
        for _ in range(TRIES - 1):
            wait = _wait(answer)
            if wait is None:
                break
            time.sleep(wait)
            answer = self._http.get(f"{self._url}/{path}", params=asked)
        if answer.is_redirect:
            to = plain(answer.headers.get("location", "another address"))
            raise click.ClickException(f"the service is elsewhere: {to}")
        if not answer.is_success:
            raise _refused(answer)
        try:
            return msgspec.json.decode(answer.content, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _foreign(str(error)) from None


def _wait(answer: httpx.Response) -> int | None:
    """The seconds after which to ask again; None if that is no use."""
    said = answer.headers.get("retry-after", "")
    if answer.status_code not in BUSY or not said.isdecimal() or int(said) > SECONDS:
        return None
    return int(said)


def _refused(answer: httpx.Response) -> click.ClickException:
    """What an error of the service means for the user."""
    try:
        problem = msgspec.json.decode(answer.content, type=_Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _foreign(f"status {answer.status_code} without a problem document")
    what = plain(problem.detail or problem.title)
    if answer.status_code in (401, 403):
        what += " Give the key by --key-file or ARBITER_MATCH_KEY."
    return click.ClickException(f"the service refuses ({plain(problem.code)}): {what}")


def _record(line: Line) -> Record[Event]:
    try:
        return record_of(line)
    except (KeyError, ValueError, OverflowError, TypeError):
        raise _foreign(f"event {line.seq} ({line.type}) is not one of this release") from None


def _foreign(why: str) -> click.ClickException:
    return click.ClickException(
        "this does not answer as a service of this release does; it may be older or newer, or"
        f" something else: {plain(why)}"
    )
