"""One browser and one server for all tests of a process."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser

from tests.support.browser.chromium import Tab, chromium, tab
from tests.support.servers.live_server import live

__all__ = ["live"]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """A running browser."""
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def opened(browser: Browser) -> AsyncIterator[Tab]:
    """An empty tab."""
    async with tab(browser) as made:
        yield made
