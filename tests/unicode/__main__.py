"""Makes the tables of `domain/names`: `python -m tests.unicode FOLDER`.

The folder has `confusables.txt` of UTS #39, and `emoji-sequences.txt` and
`emoji-zwj-sequences.txt` of UTS #51, all of one version, as they are at https://unicode.org/Public.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from tests.support.repository import ROOT

NAMES = ROOT / "domain/names"

INVISIBLE = re.compile("200D|FE0F|E00..")


def rows(path: Path) -> Iterator[list[str]]:
    """The fields of each row."""
    for line in path.read_text("utf-8-sig").splitlines():
        row = line.partition("#")[0]
        if row.strip():
            yield [field.strip() for field in row.split(";")]


def shortened(points: str) -> str:
    return ".".join(point.lstrip("0") for point in points.split())


def main(folder: Path) -> None:
    """Writes the tables."""
    pairs = (
        f"{shortened(one)}={shortened(other)}"
        for one, other, *_ in rows(folder / "confusables.txt")
    )
    files = (folder / name for name in ("emoji-sequences.txt", "emoji-zwj-sequences.txt"))
    sequences = {points for path in files for points, *_ in rows(path) if ".." not in points}
    hidden = sorted(
        shortened(one) for one in sequences if any(INVISIBLE.match(each) for each in one.split())
    )
    for name, entries in {"confusables": pairs, "emoji": hidden}.items():
        (NAMES / f"{name}.txt").write_text(fill(" ".join(entries), 98) + "\n")


main(Path(sys.argv[1]))
