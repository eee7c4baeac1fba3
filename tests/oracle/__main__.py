"""The oracle: records what a client can observe of the service, and compares it with before.

`python -m tests.oracle record DIR` records, and `compare DIR` compares that with the recording that
is kept, or with another folder (`--before`). `--only http/rulings` is for a part. `keep DIR` keeps
a recording.
"""

# ruff: noqa: T201

import sys
from argparse import ArgumentParser
from pathlib import Path

from tests.oracle.comparing import ALLOWED, added, allowed, differences, left_out, report
from tests.oracle.recording import BASELINE, pack, read, record, write


def main() -> None:
    parser = ArgumentParser("python -m tests.oracle", description=__doc__)
    parser.add_argument("what", choices=("record", "compare", "keep"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="areas whose names begin so")
    parser.add_argument("--before", type=Path, default=BASELINE, help="with what to compare")
    parser.add_argument("--allowed", type=Path, default=ALLOWED, help="what may differ, and why")
    options = parser.parse_args()
    if options.what == "record":
        write(options.folder, record(options.only))
    elif options.what == "keep":
        pack(read(options.folder))
    else:
        before, after = (
            {area: units for area, units in read(one).items() if area.startswith(options.only)}
            for one in (options.before, options.folder)
        )
        after = left_out(after, added(options.allowed))
        found, rules = list(differences(before, after)), allowed(options.allowed)
        lines, fine = report(found, rules, whole=not options.only)
        print("\n".join(lines))
        sys.exit(not fine)


if __name__ == "__main__":
    main()
