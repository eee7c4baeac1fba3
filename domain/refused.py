"""How rules say no."""


class Refused(Exception):
    """Understood and not allowed: `code` is stable and for programs, `text` is for people."""

    def __init__(self, code: str, text: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.text = text
