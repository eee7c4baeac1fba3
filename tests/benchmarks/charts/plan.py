"""How much is measured: which sizes, how often, and for how long."""

from msgspec import Struct, field

CONNECTIONS = 64
STORES = ("SQLite", "PostgreSQL")
MANY = 1_000
SHORT = 100
"""Maximum number of events of a match whose opening is drawn; that of the longest is a part of
`make bench`."""


class Plan(Struct, frozen=True):
    """`matches` are the numbers of open matches; `lengths` the numbers of events of a match, and
    for each how many matches there are: enough that the players make them little longer. Of the
    library's there are fewer, `theirs`, and each acts at least once.

    Rates are measured `rounds` times, for `seconds` each, those of the echo for `echo`. The
    `reserve` replaces matches that come to their end. Then single operations, one after another:
    `delivered` actions whose delivery is waited for, `opened` matches, `recorded` transactions, and
    read models that follow `followed` events.
    """

    matches: tuple[int, ...]
    lengths: dict[int, int]
    theirs: dict[int, int]
    rounds: int
    seconds: float
    echo: float
    reserve: int
    delivered: int = field(name="told")
    opened: int
    recorded: int
    followed: int

    def spare(self, count: int) -> int:
        """The reserve for this many matches; of many none comes to its end."""
        return self.reserve if count < MANY else 0


FULL = Plan(
    (1, 10, 100, 1_000, 10_000),
    {20: 2_048, 100: 512, 1_000: 128, 10_000: 64, 100_000: 8},
    {20: 64, 100: 64, 1_000: 64, 10_000: 8, 100_000: 2},
    rounds=3,
    seconds=2.0,
    echo=1.0,
    reserve=600,
    delivered=600,
    opened=60,
    recorded=40,
    followed=100_000,
)

QUICK = Plan(
    (1, 10, 100),
    {20: 256, 100: 64, 1_000: 16},
    {20: 16, 100: 16, 1_000: 2},
    rounds=1,
    seconds=0.5,
    echo=0.3,
    reserve=100,
    delivered=60,
    opened=20,
    recorded=10,
    followed=5_000,
)
