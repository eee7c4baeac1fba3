"""Matchings of the greatest weight, as the library of pairings asks networkx for them.

Networkx begins each of a round's hundreds of matchings anew, in Python. Within `matched_again`
this module is its backend: the compiled algorithm of py4swiss matches again only the nodes whose
edges have changed. Where py4swiss is not installed, networkx itself matches. Pairings do not depend
on that: the library chooses among matchings of one weight by further weights until one is left.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from itertools import chain
from typing import Any

PART = 32
"""The bits of one part of a weight."""

_matcher: ContextVar["Matcher | None"] = ContextVar("matcher", default=None)


@contextmanager
def matched_again() -> Iterator[None]:
    """Within, all matchings that are asked of networkx follow from one another."""
    if find_spec("py4swiss") is None:
        yield
        return
    import networkx

    networkx.config.backend_priority.classes = ["arbiter"]
    token = _matcher.set(Matcher())
    try:
        yield
    finally:
        _matcher.reset(token)


class Graph:
    """As much of a graph of networkx as is asked for."""

    __networkx_backend__ = "arbiter"

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.weights: dict[tuple[int, int], int] = {}

    def add_node(self, node: int) -> None:
        """Adds a node without edges."""
        self.nodes.append(node)

    def add_edge(self, node: int, other: int, weight: int) -> None:
        """Adds an edge of a positive weight."""
        self.weights[node, other] = weight

    def is_directed(self) -> bool:
        """Whether its edges have a direction."""
        return False

    def is_multigraph(self) -> bool:
        """Whether two nodes may have several edges."""
        return False


class Matcher:
    """The matching that was made last."""

    def __init__(self) -> None:
        self._nodes: list[int] = []
        self._weights: dict[tuple[int, int], int] = {}
        self._limit = 0

    def match(self, graph: Graph) -> set[tuple[int, int]]:
        """As many pairs as possible, of the greatest weight that so many can have."""
        if self._nodes != graph.nodes or max(graph.weights.values(), default=0) >= self._limit:
            self._begin(graph)
        changes = {
            edge: weight
            for edge, weight in graph.weights.items()
            if self._weights.get(edge) != weight
        } | dict.fromkeys(self._weights.keys() - graph.weights.keys(), 0)
        often = Counter(chain.from_iterable(changes))
        for edge, weight in changes.items():
            # The first node of a change is matched again: few of them, which have many changes.
            node, other = sorted(edge, key=often.__getitem__, reverse=True)
            self._computer.set_edge_weight(
                self._index[node], self._index[other], self._converted(weight)
            )
        self._weights = graph.weights
        self._computer.compute_matching()
        matching = enumerate(self._computer.get_matching())
        return {
            (self._nodes[first], self._nodes[other]) for first, other in matching if first < other
        }

    def _begin(self, graph: Graph) -> None:
        """Prepares for so many nodes, and for weights below a limit. One pair more outweighs all
        that pairs can weigh."""
        from py4swiss.dynamicuint import DynamicUint
        from py4swiss.matching_computer import ComputerDutchOptimality

        self._nodes, self._weights = graph.nodes, {}
        self._index = {node: index for index, node in enumerate(graph.nodes)}
        self._limit = 1 << max(graph.weights.values(), default=0).bit_length()
        self._bonus = self._limit << len(graph.nodes).bit_length()
        self._parts = (self._bonus.bit_length() + 4) // PART + 1
        self._zero = DynamicUint(1)
        self._zero.shift_grow(PART * (self._parts - 1))
        self._zero &= 0
        self._weights_converted: dict[int, Any] = {0: self._zero}
        most = self._converted(self._bonus)
        self._computer = ComputerDutchOptimality(len(graph.nodes), most)
        for _ in graph.nodes:
            self._computer.add_vertex()

    def _converted(self, weight: int) -> Any:
        """A weight as the algorithm has it, part by part."""
        if weight not in self._weights_converted:
            number = self._zero + self._zero
            for place in reversed(range(self._parts)):
                number <<= PART
                number |= ((weight + self._bonus) >> (PART * place)) & ((1 << PART) - 1)
            self._weights_converted[weight] = number
        return self._weights_converted[weight]


def can_run(name: str, args: object, kwargs: object) -> bool:
    """Whether networkx asks here: only within `matched_again`."""
    return _matcher.get() is not None


def graph__new__(kind: object) -> Graph:
    """A graph without nodes."""
    return Graph()


def max_weight_matching(graph: Graph, *_: object) -> set[tuple[int, int]]:
    """The pairs of a matching that has as many of them as possible: nothing else is asked for."""
    matcher = _matcher.get()
    assert matcher is not None, "graphs are made within `matched_again`"
    return matcher.match(graph)
