"""The system's Chromium, and a tab that notes everything that goes wrong in it."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, Literal

import pytest
from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    Route,
    async_playwright,
    expect,
)

PROGRAM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""Without a window, if it is installed so: a page then takes half the time."""

needs_chromium = pytest.mark.skipif(
    PROGRAM is None, reason="Chromium is not installed: `apt-get install chromium-headless-shell`"
)

ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
"""Without the services of its maker: the tests need no network."""

GIVEN_UP = "net::ERR_ABORTED"
"""How a request fails that runs when its page is left, or that its page no longer needs."""

PATIENCE_MS = 20_000
START_MS = 60_000
"""Milliseconds after which what was waited for, or the start of the browser, has failed."""

expect.set_options(timeout=PATIENCE_MS)

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A running browser with an empty profile."""
    assert PROGRAM is not None
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=PROGRAM, args=ARGUMENTS, timeout=START_MS
        )
        try:
            yield browser
        finally:
            await browser.close()


class Tab:
    """A page in a browser. `problems` has each error and warning of its console and each request
    that failed, but for those that the page itself gave up; `requests` the addresses of all
    requests, in order."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._note_message)
        page.on("pageerror", self._note_error)
        page.on("requestfailed", self._note_failure)
        page.on("request", self._note_request)

    async def barriers(self, coloured: str = "html") -> list[str]:
        """What keeps people from using the page, in a light and in a dark scheme: each rule of axe
        that is broken, with an element that breaks it. Contrasts, which take longest, are those
        of the elements that are `coloured`."""
        await self.page.evaluate(AXE)
        violations = await self._violations(
            "html", {"rules": {"color-contrast": {"enabled": False}}}
        )
        for scheme in SCHEMES:
            await self.page.emulate_media(color_scheme=scheme)
            violations += await self._violations(coloured, {"runOnly": ["color-contrast"]})
        return violations

    async def barriers_within(self, selector: str) -> list[str]:
        """The same for some elements, in a light scheme."""
        await self.page.evaluate(AXE)
        await self.page.emulate_media(color_scheme="light")
        return await self._violations(selector, {})

    async def _violations(self, within: str, options: dict[str, Any]) -> list[str]:
        run = "([within, options]) => axe.run(within, options)"
        asked = {"resultTypes": ["violations"], **options}
        report = await self.page.evaluate(run, [within, asked])
        return [_described(violation) for violation in report["violations"]]

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _note_error(self, error: Error) -> None:
        self.problems.append(str(error))

    def _note_failure(self, request: Request) -> None:
        if request.failure != GIVEN_UP:
            self.problems.append(f"{request.url}: {request.failure}")

    def _note_request(self, request: Request) -> None:
        self.requests.append(request.url)


@asynccontextmanager
async def tab(browser: Browser) -> AsyncIterator[Tab]:
    """A tab that shares nothing with others."""
    context = await browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    try:
        yield Tab(await context.new_page())
    finally:
        await context.close()


async def lose_answer(route: Route) -> None:
    """The service gets the request, and the page no answer."""
    await route.fetch()
    await route.abort()


def _described(violation: dict[str, Any]) -> str:
    nodes = violation["nodes"]
    return f"{violation['id']}: {len(nodes)} such as {nodes[0]['target']} {nodes[0]['html'][:200]}"
