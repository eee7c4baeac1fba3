"""The scripts of the pages, bundled from their sources."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from tests.support.repository import ROOT
from tests.support.web.npm_tools import PINNED, installed, made_once, tool

SOURCES = ROOT / "clients/pages"
CLIENT = ROOT / "clients/typescript/src"
BUILT = ROOT / "service/web/pages/built"

BUNDLED = ("preact", "@preact/signals", "@preact/signals-core", "uplot")
"""The packages whose code the bundle holds, and whose licences stand next to it."""

ENTRIES = ("pages", "boards", "forms")
"""The folders of which each file is loaded by its own name."""

CONFIGURED = ("tsconfig.json", "vitest.config.ts")

OPTIONS = (
    "--bundle", "--splitting", "--format=esm", "--minify", "--target=es2022", "--charset=utf8",
    "--preserve-symlinks", "--outbase=src", "--entry-names=[dir]/[name]",
    "--chunk-names=chunks/[name]-[hash]", "--log-level=warning",
    "--loader:.css=text",
)  # fmt: skip


def bundle() -> Path:
    """The folder with the bundled scripts, and the licences of what is in them."""

    def make(folder: Path) -> None:
        pages = sources(folder)
        built = folder / "built"
        entries = [str(one.relative_to(pages)) for one in _entries(pages)]
        tool(pages, "esbuild", *entries, *OPTIONS, f"--outdir={built}")
        (built / "licences.txt").write_text("\n".join(_licences(pages / "node_modules")))

    return made_once("pages", inputs(), make) / "built"


def check_types() -> None:
    """Raises AssertionError with the words of the compiler if a type is wrong."""

    def make(folder: Path) -> None:
        pages = sources(folder)
        tool(pages, "tsc", "-p", str(pages))

    made_once("page-types", inputs(), make)


def run_tests() -> None:
    """Raises AssertionError with what vitest says if a test of the pure modules fails."""

    def make(folder: Path) -> None:
        tool(sources(folder), "vitest", "run")

    made_once("page-tests", inputs(), make)


def write() -> None:
    """Puts the bundled scripts where the service reads them."""
    shutil.rmtree(BUILT, ignore_errors=True)
    shutil.copytree(bundle(), BUILT)


def sources(folder: Path) -> Path:
    """A copy of the sources in a place of their own, with the packages that they need: what is made
    must not depend on where it is made."""
    pages = folder / "clients/pages"
    for name in ("src", "tests"):
        shutil.copytree(SOURCES / name, pages / name)
    shutil.copytree(CLIENT, folder / "clients/typescript/src")
    for name in (*PINNED, *CONFIGURED):
        shutil.copy(SOURCES / name, pages)
    (pages / "node_modules").symlink_to(installed(SOURCES) / "node_modules")
    return pages


def _entries(pages: Path) -> Iterable[Path]:
    return sorted(one for kind in ENTRIES for one in pages.glob(f"src/{kind}/*.tsx"))


def inputs() -> list[Path]:
    here = Path(__file__)
    folders = (SOURCES / "src", SOURCES / "tests", CLIENT)
    sources = [one for folder in folders for one in folder.rglob("*.ts*")]
    return [here, *sorted(sources), *(SOURCES / name for name in (*PINNED, *CONFIGURED))]


def _licences(modules: Path) -> Iterable[str]:
    for name in BUNDLED:
        (licence,) = (modules / name).glob("LICENSE*")
        yield f"{name}\n\n{licence.read_text()}"
