"""Files that people name: texts in whatever encoding their editor or shell writes, and files that
are written."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import rich_click as click

from service.event_store.sqlite.high_water_mark import write_whole

ENCODINGS = {BOM_UTF8: "utf-8-sig", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}


def decode_text(content: bytes) -> str:
    """The text in a file: UTF-8, with or without a byte order mark, or UTF-16 with one. Raises
    UnicodeDecodeError."""
    encoding = next((ENCODINGS[mark] for mark in ENCODINGS if content.startswith(mark)), "utf-8")
    return content.decode(encoding)


def write_private(path: Path, content: bytes) -> None:
    """Writes a file that its owner alone may read, whatever it was before. What was there stays
    until the whole content is on disk; where that fails nothing is left. What is no file, such as a
    pipe, is written as it is. Raises OSError."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
    else:
        write_whole(path.resolve(), content, 0o600)


class TextFile(click.ParamType[TextIO, Any]):
    """A text file, or - for standard input, as it is read whole."""

    name = "filename"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> TextIO:
        """Fails for what is no text."""
        try:
            with click.open_file(str(value), "rb") as file:
                text = StringIO(decode_text(file.read()))
        except OSError as error:
            self.fail(f"{value} cannot be read: {error.strerror}", param, ctx)
        except UnicodeDecodeError:
            self.fail(f"{value} is no text in UTF-8 or UTF-16", param, ctx)
        text.name = str(value)
        return text
