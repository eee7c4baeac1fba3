"""A name server on the loopback interface (RFC 1035): answers from a table, or never."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from socketserver import BaseRequestHandler, ThreadingUDPServer

import dns.message
import dns.rcode
import dns.rrset
from dns.asyncresolver import Resolver


class NameServer(ThreadingUDPServer):
    """Knows the addresses of some names. It answers nothing about those under `silent.example`."""

    daemon_threads = True

    def __init__(self, addresses: Mapping[str, Sequence[str]]) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.addresses = dict(addresses)
        self.asked: list[str] = []
        self.grown = threading.Condition()

    def resolver(self, *search: str) -> Resolver:
        """A resolver that asks it alone."""
        resolver = Resolver(configure=False)
        resolver.nameservers = ["127.0.0.1"]
        resolver.port = int(self.server_address[1])
        resolver.search = [dns.name.from_text(domain) for domain in search]
        return resolver

    def wait_for(self, count: int) -> None:
        """Returns when it has been asked so often."""
        with self.grown:
            assert self.grown.wait_for(lambda: len(self.asked) >= count, 20.0), self.asked


class _Answering(BaseRequestHandler):
    server: NameServer

    def handle(self) -> None:
        content, socket = self.request
        query = dns.message.from_wire(content)
        (question,) = query.question
        name = question.name.to_text(omit_final_dot=True)
        with self.server.grown:
            self.server.asked.append(name)
            self.server.grown.notify_all()
        if name.endswith("silent.example"):
            return
        response = dns.message.make_response(query)
        addresses = self.server.addresses.get(name)
        if addresses is None:
            response.set_rcode(dns.rcode.NXDOMAIN)
        kind = "A" if question.rdtype == dns.rdatatype.A else "AAAA"
        fitting = [one for one in addresses or () if (":" in one) == (kind == "AAAA")]
        if fitting:
            response.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *fitting))
        socket.sendto(response.to_wire(), self.client_address)


@contextmanager
def name_server(addresses: Mapping[str, Sequence[str]] | None = None) -> Iterator[NameServer]:
    with NameServer(addresses or {}) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
