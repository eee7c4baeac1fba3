"""A receiver of notices as a process to be killed: prints its port, and appends each notice to a
file before it answers. `python -m tests.support.faults.receiver_process PORT FILE`"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

_writing = Lock()


class _Receiving(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            return  # The sender was killed while it sent.
        line = json.dumps([self.headers["webhook-id"], body.decode()])
        with _writing, open(sys.argv[2], "a") as received:
            received.write(f"{line}\n")
            received.flush()
            os.fsync(received.fileno())
        self.send_response_only(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), _Receiving)
    print(server.server_address[1], flush=True)  # noqa: T201  for the test
    server.serve_forever()


if __name__ == "__main__":
    main()
