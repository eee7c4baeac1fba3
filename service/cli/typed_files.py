"""Files that people name: texts in whatever encoding their editor or shell writes, and files that
are written."""

import os
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from io import StringIO
from pathlib import Path
from tempfile import mkstemp
from typing import Any, TextIO

import rich_click as click

ENCODINGS = {BOM_UTF8: "utf-8-sig", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}


def decoded(content: bytes) -> str:
    """The text in a file: UTF-8, with or without a byte order mark, or UTF-16 with one. Raises
    UnicodeDecodeError."""
    encoding = next((ENCODINGS[mark] for mark in ENCODINGS if content.startswith(mark)), "utf-8")
    return content.decode(encoding)


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file that its owner alone may read, whatever it was before. What was there stays
    until the whole content is on disk; where that fails nothing is left. What is no file, such as a
    pipe, is written as it is. Raises OSError."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path = path.resolve()
    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".partial")
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


class TextFile(click.ParamType[TextIO, Any]):
    """A text file, or - for standard input, as it is read whole."""

    name = "filename"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> TextIO:
        """Fails for what is no text."""
        try:
            with click.open_file(str(value), "rb") as file:
                text = StringIO(decoded(file.read()))
        except OSError as error:
            self.fail(f"{value} cannot be read: {error.strerror}", param, ctx)
        except UnicodeDecodeError:
            self.fail(f"{value} is no text in UTF-8 or UTF-16", param, ctx)
        text.name = str(value)
        return text
