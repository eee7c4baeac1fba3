"""Where a page finds what had happened until an instant."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.web.node_program import node
from tests.support.web.npm_tools import tool
from tests.support.web.page_scripts import sources

OPTIONS = ("--bundle", "--format=esm", "--platform=node", "--log-level=warning")

PROGRAM = """
const given = JSON.stringify({ language: "en", texts: {}, data: null });
globalThis.document = { getElementById: () => ({ textContent: given }) };
const { Reading } = await import("./reading.mjs");
const [instants, until] = JSON.parse(process.argv[2]);
const type = "match.noted.1";
const events = instants.map((at, index) => ({ seq: index + 1, at, type, data: {} }));
const reading = new Reading({ events: async () => ({ events, next: null }) }, "public");
await reading.readLines();
process.stdout.write(String(reading.lastAt(until)));
process.exit();
"""

SECOND = "2026-11-21T14:00:0"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reading")
    made = folder / "reading.mjs"
    tool(sources(folder), "esbuild", "src/match/reading.ts", *OPTIONS, f"--outfile={made}")
    program = folder / "program.mjs"
    program.write_text(PROGRAM)
    return program


@pytest.mark.parametrize(
    ("instants", "until", "last"),
    [
        ([f"{SECOND}0Z", f"{SECOND}0.100000Z"], f"{SECOND}0Z", 1),
        ([f"{SECOND}0Z", f"{SECOND}1Z"], f"{SECOND}0.999999Z", 1),
        ([f"{SECOND}0Z", f"{SECOND}1Z"], f"{SECOND}1.000001Z", 2),
        ([f"{SECOND}0Z", f"{SECOND}0.000002Z"], f"{SECOND}0.000001Z", 1),
        ([f"{SECOND}0Z", f"{SECOND}0.000002Z"], f"{SECOND}0.000002Z", 2),
    ],
)
def test_instants_are_compared_whether_or_not_they_have_digits_after_the_second(
    program: Path, instants: list[str], until: str, last: int
) -> None:
    given = json.dumps([instants, until])
    done = subprocess.run([node(), str(program), given], capture_output=True, text=True, check=True)
    assert int(done.stdout) == last
