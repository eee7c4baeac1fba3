"""Paints a picture in SVG as PNG, for programs that show no SVG. It needs no font."""

from functools import lru_cache

from resvg_py import svg_to_bytes

WIDTH = 600
"""In pixels: the least that others show large. A wider picture would hold the loop too long."""

KEPT = 64


@lru_cache(KEPT)
def painted(svg: str) -> bytes:
    return bytes(svg_to_bytes(svg_string=svg, width=WIDTH, skip_system_fonts=True))
