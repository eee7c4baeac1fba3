"""The verifier's page, as people use it."""

import re
from pathlib import Path

from playwright.async_api import expect

from tests.support.browser.chromium import Tab

OVER = re.compile("HOLDS|FAIL|SEALED|Not checked")


async def verify(tab: Tab, bundle: Path, keys: str) -> None:
    """Chooses a bundle, gives keys, and has it checked."""
    await tab.page.set_input_files("#bundle", bundle)
    await tab.page.fill("#keys", keys)
    await tab.page.get_by_role("button", name="Check", exact=True).click()


async def judged(tab: Tab) -> str:
    """The verdict, once there is one."""
    headline = tab.page.locator("#verdict strong")
    await expect(headline).to_have_text(OVER)
    return (await headline.inner_text()).split()[-1]
