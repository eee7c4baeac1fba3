"""Makes `domain/names/tables.py`: `python -m tests.unicode FOLDER`.

The folder has `confusables.txt` of UTS #39, and `emoji-sequences.txt` and
`emoji-zwj-sequences.txt` of UTS #51, all of one version, as they are at https://unicode.org/Public.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "domain/names/tables.py"

HEAD = '''"""Tables of Unicode {version}, made by `python -m tests.unicode`: do not edit.

© 2025 Unicode, Inc., under the licence in UNICODE-LICENSE.txt beside this file.
"""

CONFUSABLES = """
{confusables}
"""
"""What each character is confused with (UTS #39): `from=to`, in hexadecimal code points."""

EMOJI = """
{emoji}
"""
"""The emoji sequences that are recommended for general interchange (UTS #51) and have characters
that show nothing by themselves."""
'''

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
    confusables = folder / "confusables.txt"
    found = re.search(r"^# Version: ([\d.]+)$", confusables.read_text("utf-8-sig"), re.MULTILINE)
    assert found is not None, "the file says which version it is"
    pairs = [f"{shortened(one)}={shortened(other)}" for one, other, *_ in rows(confusables)]
    files = (folder / name for name in ("emoji-sequences.txt", "emoji-zwj-sequences.txt"))
    sequences = {points for path in files for points, *_ in rows(path) if ".." not in points}
    hidden = sorted(
        shortened(one) for one in sequences if any(INVISIBLE.match(each) for each in one.split())
    )
    tables = {"confusables": pairs, "emoji": hidden}
    texts = {name: fill(" ".join(one), 98) for name, one in tables.items()}
    TABLES.write_text(HEAD.format(version=found[1], **texts))


main(Path(sys.argv[1]))
