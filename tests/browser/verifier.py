"""The verifier's page, and `arbiter verify`, as people use them."""

import json
import re
from pathlib import Path

from click.testing import CliRunner
from playwright.async_api import Page, expect

from service.cli.auditing.verify import verify_bundle
from tests.support.browser.chromium import Tab
from tests.support.servers.live_server import Live, LiveMatch

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


async def save_receipts(page: Page, folder: Path) -> Path:
    """The file that a page saves."""
    async with page.expect_download() as saving:
        await page.get_by_role("button", name="Save the receipts").click()
    await (await saving.value).save_as(folder / "receipts.json")
    return folder / "receipts.json"


def verdict_with(live: Live, match: LiveMatch, receipts: Path) -> str:
    """That of `arbiter verify` on a match with the receipts that were saved."""
    keys, bundle = receipts.with_name("keys.json"), receipts.with_name("match.arb")
    keys.write_bytes(live.anyone.get("/v1/keys").content)
    bundle.write_bytes(match.moderator.client.get(f"{match.moderator.path}/bundle").content)
    arguments = [str(bundle), "--key", str(keys), "--receipt", str(receipts), "--json"]
    return str(json.loads(CliRunner().invoke(verify_bundle, arguments).stdout)["verdict"])
