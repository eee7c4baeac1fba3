"""A mail server on the loopback interface that keeps what it receives (RFC 5321, 4.5.1)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from socketserver import StreamRequestHandler, ThreadingTCPServer


class MailServer(ThreadingTCPServer):
    """Answers 250 to everything, or `refusal` to a message."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiving)
        self.refusal: str | None = None
        self.received: list[tuple[str, Message]] = []

    @property
    def smtp(self) -> str:
        """The setting that names it."""
        return f"mailto://127.0.0.1:{self.server_address[1]}?from=arbiter@example.org"


class _Receiving(StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        recipient = ""
        self._say("220 ready")
        while line := self.rfile.readline().decode().strip():
            verb = line.split()[0].upper()
            if verb == "RCPT":
                recipient = line.partition("<")[2].partition(">")[0]
            if verb == "DATA":
                self._receive(recipient)
            else:
                self._say("221 bye" if verb == "QUIT" else "250 ok")

    def _receive(self, recipient: str) -> None:
        if self.server.refusal is not None:
            self._say(self.server.refusal)
            return
        self._say("354 go on")
        lines = iter(self.rfile.readline, b".\r\n")
        self.server.received.append((recipient, message_from_bytes(b"".join(lines))))
        self._say("250 ok")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """A running mail server."""
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
