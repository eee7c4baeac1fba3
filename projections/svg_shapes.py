"""Shapes of which games draw their boards, as SVG without a font: the same on every machine.

A picture is 320 wide and 168 high, in fixed colours. It has no text: numbers are drawn as lines,
and the names of the seats stand beside it.
"""

WIDTH, HEIGHT = 320, 168
FELT, INK, LINE, PAPER = "#e3eeea", "#1f2428", "#52585e", "#fff"
NOW, SETTLED, GONE = "#b03a0c", "#0d6e63", "#9ba3aa"
SEATS = ("#a4400f", "#1d5fa8", "#3f7020", "#86369a", "#8a6100", "#226e74")

_SIGNS = {
    "0": "M5 0C1.5 0 0 3.5 0 8s1.5 8 5 8 5-3.5 5-8-1.5-8-5-8z",
    "1": "M1.5 3.5 6 0v16",
    "2": "M.5 4C.5 1.5 2.5 0 5 0s4.5 1.5 4.5 4c0 4.5-9 7.5-9 12h9.5",
    "3": "M.5 2C1.5.7 3 0 5 0c2.7 0 4.5 1.6 4.5 3.9S7.7 7.6 4.5 7.6"
    "C8 7.6 10 9.3 10 11.8S8 16 5 16C2.8 16 1 15.3 0 13.7",
    "4": "M7.5 16V0L0 11h10",
    "5": "M9 0H1.5L.7 7.2C1.8 6.3 3.2 5.9 4.7 5.9 8 5.9 10 8 10 10.9S8 16 4.8 16"
    "C2.7 16 1 15.3 0 13.9",
    "6": "M8.8 1.2C7.8.4 6.6 0 5.3 0 1.8 0 0 3.8 0 9c0 4.5 1.8 7 5 7s5-2.2 5-5-2-4.7-4.8-4.7"
    "S0 8 0 10.6",
    "7": "M0 0h10L3.5 16",
    "8": "M5 7.5C2.5 7.5.8 6 .8 3.8S2.5 0 5 0s4.2 1.6 4.2 3.8S7.5 7.5 5 7.5C2 7.5 0 9.2 0 11.8"
    "S2 16 5 16s5-1.6 5-4.2S8 7.5 5 7.5z",
    "9": "M1.2 14.8c1 .8 2.2 1.2 3.5 1.2C8.2 16 10 12.2 10 7c0-4.5-1.8-7-5-7S0 2.2 0 5"
    "s2 4.7 4.8 4.7S10 8 10 5.4",
    "x": "M1 6l8 8M9 6l-8 8",
}
"""Each is 10 wide and 16 high."""

_MARKS = (
    '<circle r="10"',
    '<rect x="-9" y="-9" width="18" height="18" rx="2"',
    '<path d="M0-11 11-2.6 7 10H-7l-4-12.6z"',
    '<path d="M0-12 12 0 0 12-12 0z"',
    '<path d="M-5.5-10h11l5.5 10-5.5 10h-11L-11 0z"',
    '<path d="M-10 10V0a10 10 0 0 1 20 0v10z"',
)
"""The shapes of seats, as on the pages."""

PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def svg(*shapes: str) -> str:
    """The picture that these shapes make, one over another."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}"><rect width="{WIDTH}" height="{HEIGHT}" fill="{FELT}"/>'
        f"{''.join(shapes)}</svg>"
    )


def at(x: float, y: float, scale: float, *shapes: str) -> str:
    """Shapes that were drawn around 0, around a point and larger."""
    return f'<g transform="translate({x:g} {y:g}) scale({scale:g})">{"".join(shapes)}</g>'


def circle(x: float, y: float, r: float, fill: str, edge: str = "none") -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}" stroke="{edge}"/>'


def box(x: float, y: float, size: tuple[float, float], fill: str, edge: str = "none") -> str:
    """A rectangle around a point."""
    width, height = size
    return (
        f'<rect x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width:g}" height="{height:g}" '
        f'rx="{min(size) / 8:g}" fill="{fill}" stroke="{edge}"/>'
    )


def number(x: float, y: float, text: str | int, size: float, colour: str = INK) -> str:
    """Digits and `x` around a point, `size` high."""
    scale, signs = size / 16, str(text)
    start = x - (14 * len(signs) - 4) * scale / 2
    paths = "".join(
        f'<path transform="translate({14 * nth})" d="{_SIGNS[sign]}"/>'
        for nth, sign in enumerate(signs)
    )
    place = f"translate({start:.4g} {y - size / 2:.4g}) scale({scale:.4g})"
    return (
        f'<g transform="{place}" fill="none" stroke="{colour}" stroke-width="2.4" '
        f'stroke-linecap="round" stroke-linejoin="round">{paths}</g>'
    )


def mark(seat: int, x: float, y: float, *, acts: bool = False, is_out: bool = False) -> str:
    """The shape of a seat with its number for people, underlined while the match waits for it."""
    fill = GONE if is_out else SEATS[seat % len(SEATS)]
    shape = (
        f'<g transform="translate({x:g} {y:g})">{_MARKS[seat % len(_MARKS)]} fill="{fill}"/></g>'
    )
    line = box(x, y + 15, (22, 3), NOW) if acts else ""
    return shape + number(x, y, seat + 1, 10, PAPER) + line


def die(x: float, y: float, face: int | None, size: float) -> str:
    """A die that shows a face, or stands under a cup."""
    if face is None:
        return box(x, y, (size, size), LINE)
    dots = (circle(x + dx * size / 4, y + dy * size / 4, size / 10, INK) for dx, dy in PIPS[face])
    return box(x, y, (size, size), PAPER, LINE) + "".join(dots)


def plain(seats: int) -> str:
    """The picture of a match that shows no board: its seats."""
    step = WIDTH / (seats + 1)
    return svg(*(mark(seat, step * (seat + 1), HEIGHT / 2) for seat in range(seats)))
