"""What is sent to the service, and what its answers say."""

import csv
import secrets
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from arbiter_client.answers import Dated
from arbiter_client.problems import NotUnderstood, problem_of

T = TypeVar("T")

INCARNATION = "arbiter-incarnation"


class Request(Struct, frozen=True):
    """A request. `repeatable`: sent twice it counts once."""

    method: str
    path: str
    query: Mapping[str, Any] = {}
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    repeatable: bool = True


class Answer(Struct, frozen=True):
    """An answer, read to its end; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


def usable_key(text: str) -> str:
    """The key in a text, which may end with a line break. Raises ValueError, which does not name
    it, if it cannot be one."""
    key = text.strip()
    if not (key.isascii() and key.isprintable() and key.split() == [key]):
        raise ValueError("this is no key of the service")
    return key


def successful(answer: Answer) -> Answer:
    """The answer, unless it is a problem or leads elsewhere, which is raised."""
    if answer.status >= 300:
        raise problem_of(answer.status, answer.headers, answer.body)
    return answer


def decoded(answer: Answer, kind: type[T]) -> T:
    """The body of an answer; as it is if bytes are wanted, and None if anything will do and there
    is none. A view keeps the headers that belong to it. Raises NotUnderstood."""
    if kind is bytes:
        return answer.body  # type: ignore[return-value]  # bytes were asked for
    if kind is object and not answer.body:
        return None  # type: ignore[return-value]  # nothing was asked for
    try:
        body = msgspec.json.decode(answer.body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotUnderstood(str(error)) from error
    if isinstance(body, Dated):
        own = {"tag": answer.headers.get("etag"), "incarnation": answer.headers.get(INCARNATION)}
        return msgspec.structs.replace(body, **own)
    return body


def rows_of(page: dict[str, msgspec.Raw], name: str, kind: type[T]) -> tuple[list[T], Any]:
    """The rows of a page, and the `after` of the page that follows. Raises NotUnderstood."""
    try:
        rows = msgspec.json.decode(page[name], type=list[kind])  # type: ignore[valid-type]  # a class
        return rows, msgspec.json.decode(page["next"], type=int | str | None)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError) as error:
        raise NotUnderstood(str(error)) from error


def encoded(body: Any) -> bytes | None:
    """A body as JSON, or as it is if it is bytes; None for none."""
    return body if body is None or isinstance(body, bytes) else msgspec.json.encode(body)


def table_of(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as CSV, below a head with all their columns."""
    rows = list(rows)
    text = StringIO()
    head = dict.fromkeys(name for row in rows for name in row)
    table = csv.DictWriter(text, [*head])
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def only(**members: Any) -> dict[str, Any]:
    """Those of these members that are not None."""
    return {name.rstrip("_"): value for name, value in members.items() if value is not None}


def condition(seen: Dated | str | None) -> dict[str, str]:
    """The header by which something is meant for what this view or preview has shown, or the one
    with this tag."""
    tag = seen.mark if isinstance(seen, Dated) else seen
    return {} if tag is None else {"If-Match": tag}


def once(key: str | None = None) -> dict[str, str]:
    """The header by which something counts once: with this idempotency key, or one that no one
    guesses."""
    return {"Idempotency-Key": key or secrets.token_urlsafe(18)}
