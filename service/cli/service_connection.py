"""A running service, or one match of it, as far as a key allows; its errors as the user reads
them."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, TypeVar

import httpx
import rich_click as click

from arbiter_client import (
    Arbiter,
    ArbiterError,
    Disconnected,
    Elsewhere,
    NotAllowed,
    ProblemError,
    Retries,
    Unauthorized,
)
from arbiter_client.requests import usable_key
from projections.texts.plain_text import plain
from service.cli.typed_files import TextFile
from service.settings import variables

KEY = "ARBITER_MATCH_KEY"
"""The environment variable with the key for a match."""

LOCAL = "http://127.0.0.1:8000"
"""The address of a service that `make serve` has started."""

RETRIES = Retries(attempts=5, first=0.1, patience=30.0)
"""For commands that someone waits for."""

F = TypeVar("F", bound=Any)

SERVICE = re.compile(r"https?://[^/@?#\s]+(?:/[^@?#\s]*)?")


def is_address(text: str) -> bool:
    """Whether this is a URL."""
    return text.startswith(("http://", "https://"))


def url_option(
    default: str | None = None, help_text: str = "A running service."
) -> Callable[[F], F]:
    """`--url`: the address of a service, without a slash at its end."""
    has_default = default is not None
    return click.option(
        "--url", default=default, show_default=has_default, callback=_checked_url, help=help_text
    )


def _checked_url(_: click.Context, __: click.Parameter, url: str | None) -> str | None:
    # The address is not repeated: it may have a password in it.
    if url is not None and not SERVICE.fullmatch(url):
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
    """The key in this file, or else in the environment; None if there is none."""
    key = variables(KEY).get(KEY, "") if key_file is None else key_file.read()
    return None if not key.strip() and key_file is None else checked_key(key)


def checked_key(text: str) -> str:
    """The key in a text. Raises an error for the user if it cannot be one."""
    try:
        return usable_key(text)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


@contextmanager
def connected_service(url: str, key: str | None) -> Iterator[Arbiter]:
    """A service. Raises errors for the user, in which there is no key."""
    with service_errors():
        with proxy_errors():
            service = Arbiter(url, key, retries=RETRIES)
        with service:
            yield service


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


@contextmanager
def service_errors() -> Iterator[None]:
    """Turns what the client raises into errors for the user."""
    try:
        yield
    except (ArbiterError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise said_of(error) from None


def said_of(error: Exception) -> click.ClickException:
    """What an error of the client means for the user."""
    match error:
        case Elsewhere():
            return click.ClickException(f"the service is elsewhere: {plain(error.detail or '')}")
        case ProblemError() if error.code == f"http_{error.status}":
            return foreign(f"status {error.status} without a problem document")
        case ProblemError():
            needed = isinstance(error, Unauthorized | NotAllowed)
            what = sentences(error) + (f" Give the key by --key-file or {KEY}." if needed else "")
            return click.ClickException(f"the service refuses ({plain(error.code)}): {what}")
        case Disconnected() | httpx.HTTPError() | httpx.InvalidURL():
            why = str(error) or type(error).__name__
            return click.ClickException(f"the service cannot be reached: {plain(why)}")
    return foreign(str(error))


def foreign(why: str) -> click.ClickException:
    """An error for the user: this is no service of this release."""
    return click.ClickException(
        "this does not answer as a service of this release does; it may be older or newer, or"
        f" something else: {plain(why)}"
    )


def sentences(error: ProblemError) -> str:
    """The sentences of a refusal."""
    problem = error.problem
    parts = [
        f"{mistake.pointer.strip('/')}: {mistake.detail}"
        for mistake in problem.errors
        if mistake.pointer and mistake.detail
    ]
    return plain(" ".join([problem.detail or problem.title, *parts]))
