"""Points, tiebreaks and places of a stage, computed again from its export alone: by what the guide
says (/docs/tournaments) and by FIDE C.07 (in force from March 2026), without code of the product.

Articles in brackets are those of C.07.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

JSON = Mapping[str, Any]
Key = tuple[Any, ...]
DEFAULTS = {
    "swiss": ["buchholz_cut_1", "buchholz", "head_to_head", "wins"],
    "round_robin": ["head_to_head", "sonneborn_berger", "wins"],
    "by_hand": ["wins"],
}
NOTHING = Fraction(0)


class Row(NamedTuple):
    """A player in the standings."""

    place: int
    player: int
    points: str
    played: int
    tiebreaks: list[str]


class Past(NamedTuple):
    """A round of a player: `played` with these opponents, decided by an absence (`forfeit`), not
    played by a `walkover`, `open`, `void`, or a bye of its kind; with the points taken from all,
    and from each."""

    kind: str
    points: Fraction = NOTHING
    opponents: tuple[int, ...] = ()
    taken: tuple[Fraction, ...] = ()
    alone: bool = False
    score: int = 0
    margin: Fraction = NOTHING

    @property
    def met(self) -> bool:
        return self.kind in ("played", "open", "walkover")

    @property
    def asked(self) -> bool:
        """Whether the player asked for no opponent (16.1.1)."""
        return self.kind in ("bye_asked", "absent")

    @property
    def voluntary(self) -> bool:
        """Whether they did not play by their own doing: a forfeit that was lost, too (16.1)."""
        return self.asked or (self.kind == "forfeit" and not self.alone)


class Standings:
    """The standings of a stage of an export; `people` are the players there, `lots` the order of
    the public draw for the stage, `annulled` those whose results a ruling has annulled."""

    def __init__(
        self,
        exported: JSON,
        people: Sequence[JSON],
        lots: Sequence[int] = (),
        annulled: Sequence[int] = (),
    ) -> None:
        self.stage: JSON = exported["stage"]
        self.people, self.lots = people, lots
        self.points: dict[str, Any] = self.stage["points"]
        self.groups_play = self.stage["format"] == "round_robin"
        self.rounds = [one for one in exported["rounds"] if one["status"] != "withdrawn"]
        self.players: list[int] = self.stage["entrants"]
        self.groups = list(self._groups())
        self.annulled = {*annulled, *self._annulled()}
        self.past = {
            player: [self._past(player, number) for number in range(len(self.rounds))]
            for player in self.players
        }
        self.total = {
            player: sum((one.points for one in past), NOTHING) for player, past in self.past.items()
        }
        taken = {row["player"]: row["penalty"] for row in exported["standings"]["rows"]}
        self.left = {player: total - taken[player] for player, total in self.total.items()}
        self.tiebreaks: list[str] = self.stage["tiebreaks"]
        if self.tiebreaks is None:
            self.tiebreaks = DEFAULTS.get(self.stage["format"], [])

    def rows(self) -> list[Row]:
        """The standings: those whom nothing separates share a place, in order of number."""
        keys = {player: key for group in self.groups for player, key in self._keys(group)}
        order = {player: self._order(player, keys) for player in self.players}
        rows = []
        for player in sorted(sorted(order), key=order.__getitem__, reverse=True):
            place = 1 + sum(other > order[player] for other in order.values())
            played = sum(one.kind == "played" for one in self.past[player])
            tiebreaks = [str(value) for value in keys[player][1:]]
            rows.append(Row(place, player, str(self.left[player]), played, tiebreaks))
        return rows

    # What happened.

    def _past(self, player: int, number: int) -> Past:
        one = self.rounds[number]
        if player in self.annulled:
            return Past("void")
        for pairing in one["pairings"]:
            if player in pairing["players"]:
                return self._table(pairing, pairing["players"].index(player))
        byes = {bye["player"]: bye for bye in one["byes"]}
        bye = byes.get(player, {"kind": "absent", "because": []})
        walkover, left = "opponent_withdrawn" in bye["because"], not bye["because"]
        if not self.groups_play:
            return Past(bye["kind"], Fraction(self.points["win" if walkover else bye["kind"]]))
        if bye["kind"] != "bye" and not left:
            return Past(bye["kind"], Fraction(self.points[bye["kind"]]))
        other = self._by_tables(player, number)
        if other is None or other in self.annulled or not (walkover or left):
            return Past(bye["kind"])
        points = Fraction(self.points["win" if walkover else "loss"])
        return Past("walkover", points, (other,), (points,))

    def _table(self, pairing: JSON, seat: int) -> Past:
        players, result = pairing["players"], pairing["result"]
        others = [other for other in range(len(players)) if other != seat]
        opponents = tuple(players[other] for other in others)
        if self.annulled.intersection(opponents):
            return Past("void")
        if result is None:
            return Past("void" if pairing["status"] == "final" else "open", NOTHING, opponents)
        won, scores = seat in result["winners"], result["scores"]
        shared = won and result["shared"]
        absence = "walkover" if self.groups_play else "forfeit"
        return Past(
            absence if pairing["forfeit"] else "played",
            self._taken(result, seat),
            opponents,
            tuple(self._taken_from(result, seat, other) for other in others),
            won and not shared,
            scores[seat],
            scores[seat] - Fraction(sum(scores) - scores[seat], len(others)),
        )

    def _taken(self, result: JSON, seat: int) -> Fraction:
        """Where places give points, equal scores share those of their places."""
        places, scores = self.points["places"], result["scores"]
        if not result["winners"]:
            return Fraction(self.points["absent"])
        if places is not None:
            better = sum(score > scores[seat] for score in scores)
            equal = scores.count(scores[seat])
            return Fraction(sum(places[better : better + equal]), equal)
        won = "share" if result["shared"] else "win"
        return Fraction(self.points[won if seat in result["winners"] else "loss"])

    def _taken_from(self, result: JSON, seat: int, other: int) -> Fraction:
        """At a table of more than two each two are compared as if they had met alone."""
        if len(result["scores"]) == 2 or not result["winners"]:
            return self._taken(result, seat)
        ours, theirs = ((one in result["winners"], result["scores"][one]) for one in (seat, other))
        kind = "win" if ours > theirs else "share" if ours == theirs else "loss"
        return Fraction(self.points[kind])

    # Round robins.

    def _groups(self) -> Iterator[list[int]]:
        """The groups of a round robin, filled as a snake; in other formats all are one."""
        if not self.groups_play:
            yield self.players
            return
        count, seeded = self.stage["groups"], self._seeded()
        for group in range(count):
            turns = (group, 2 * count - 1 - group)
            yield [player for n, player in enumerate(seeded) if n % (2 * count) in turns]

    def _seeded(self) -> list[int]:
        """The best seed first; who has no rating or seed is behind all who have."""
        seeding = self.stage["seeding"]
        if seeding == "lots":
            return sorted(self.players, key=self.lots.index)
        if seeding == "entry":
            return self.players
        better = -1 if seeding == "rating" else 1
        facts = {player: self.people[player][seeding] for player in self.players}
        return sorted(facts, key=lambda one: (facts[one] is None, better * (facts[one] or 0)))

    def _annulled(self) -> Iterator[int]:
        """Those who have left a round robin before half of their games (C.05)."""
        tables = [table for one in self.rounds for table in one["pairings"]]
        for group in self.groups if self.groups_play else []:
            for player in group:
                played = sum(player in one["players"] and bool(one["result"]) for one in tables)
                games = (len(group) - 1) * self.stage["cycles"]
                left = self.people[player]["status"] in ("withdrawn", "disqualified")
                if left and 2 * played < games:
                    yield player

    def _by_tables(self, player: int, number: int) -> int | None:
        """Whom a player meets by the Berger tables: in round r, from 0, the places of two who meet
        make r + 2 together, in a cycle of all but the last place; who would meet themselves meets
        the last."""
        group = next(group for group in self.groups if player in group)
        cycle = len(group) - 1 + len(group) % 2
        if number >= cycle * self.stage["cycles"]:
            return None
        places, own = range(1, cycle + 2), group.index(player) + 1

        def met(place: int) -> int:
            other = (number + 2 - place) % cycle or cycle
            return cycle + 1 if other == place else other

        other = next(one for one in places[:-1] if met(one) == own) if own > cycle else met(own)
        return group[other - 1] if other <= len(group) else None

    # Tiebreaks.

    def _keys(self, group: Sequence[int]) -> Iterator[tuple[int, Key]]:
        """Points and tiebreaks of a group."""
        shootout = self.stage["format"] == "shootout"
        rank = self._reached if shootout else self.left.__getitem__
        keys: dict[int, Key] = {player: (rank(player),) for player in group}
        for tiebreak in self.tiebreaks:
            until = dict(keys)
            for player in group:
                level = [other for other in group if until[other] == until[player]]
                keys[player] = (*until[player], self._value(player, tiebreak, level))
        yield from keys.items()

    def _value(self, player: int, tiebreak: str, level: Sequence[int]) -> Fraction:
        past = self.past[player]
        played = [one for one in past if one.kind == "played"]
        match tiebreak:
            case "head_to_head":
                return self._head_to_head(player, {*level})
            case "progressive":
                return sum(((len(past) - n) * one.points for n, one in enumerate(past)), NOTHING)
            case "wins":
                return Fraction(sum(one.alone for one in past))
            case "opponents_win_rate":
                rates = [self._win_rate(other) for one in played for other in one.opponents]
                return sum(rates, NOTHING) / max(1, len(rates))
            case "score_difference":
                return sum((one.margin for one in past), NOTHING)
            case "score_sum":
                return Fraction(sum(one.score for one in past))
            case "lots":
                return Fraction(self.lots[::-1].index(player) + 1 if player in self.lots else 0)
        return self._of_opponents(player, tiebreak)

    def _of_opponents(self, player: int, tiebreak: str) -> Fraction:
        """Buchholz and Sonneborn-Berger (8.1, 9.1), without the lowest value, and for the median
        without the highest then (14.1, 14.3); what was not played voluntarily is cut first
        (16.5)."""
        values = [
            (not one.voluntary, score * (taken if tiebreak == "sonneborn_berger" else 1))
            for one in self.past[player]
            for score, taken in self._opponents(player, one)
        ]
        if tiebreak in ("buchholz_cut_1", "median_buchholz") and values:
            values.remove(min(values))
        if tiebreak == "median_buchholz" and values:
            values.remove(max(values, key=lambda one: one[1]))
        return sum((value for _, value in values), NOTHING)

    def _opponents(self, player: int, one: Past) -> Iterator[tuple[Fraction, Fraction]]:
        """The points of each opponent of a round and those taken from them. Whom none was met in a
        round has as opponent one with their own points, at most those of whom an absence let them
        miss, or those of a share of each round (16.4)."""
        if one.kind in ("played", "walkover"):
            for other, taken in zip(one.opponents, one.taken, strict=True):
                yield self._adjusted(other), taken
        elif one.kind != "open" and not self.groups_play:
            most = [Fraction(self.points["share"] * len(self.rounds))]
            if one.kind == "forfeit":
                most = [self._adjusted(other) for other in one.opponents]
            yield min(self.total[player], *most), one.points

    def _adjusted(self, player: int) -> Fraction:
        """The points of a player as they count for opponents: rounds for which no opponent was
        asked, with none behind them that was played or missed through others, are as if shared
        (16.3)."""
        points, last = NOTHING, not self.groups_play
        for one in reversed(self.past[player]):
            last = last and one.voluntary
            points += self.points["share"] if last and one.asked else one.points
        return points

    def _head_to_head(self, player: int, level: set[int]) -> Fraction:
        """The points taken from those who are level, if all of them have met (6)."""
        met = {
            one: {other for past in self.past[one] if past.met for other in past.opponents}
            for one in level
        }
        if any(level - met[one] - {one} for one in level):
            return NOTHING
        met_by = (past for past in self.past[player] if past.met)
        taken = (zip(past.opponents, past.taken, strict=False) for past in met_by)
        return sum((points for one in taken for other, points in one if other in level), NOTHING)

    def _win_rate(self, player: int) -> Fraction:
        """What was taken of the points possible in matches played, at least a third."""
        played = [one.points for one in self.past[player] if one.kind == "played"]
        possible = len(played) * max(self.points["places"] or [self.points["win"]])
        return max(Fraction(1, 3), sum(played, NOTHING) / possible if possible else NOTHING)

    # Places.

    def _order(self, player: int, keys: Mapping[int, Key]) -> Key:
        """What orders the players of a stage, the higher the better."""
        match self.stage["format"]:
            case "round_robin":
                group = next(group for group in self.groups if player in group)
                above = sum(keys[other] > keys[player] for other in group)
                named = zip(["points", *self.tiebreaks], keys[player], strict=True)
                return (-above, *(value for name, value in named if name != "head_to_head"))
        return keys[player]

    def _reached(self, player: int) -> Key:
        """The last round with a table, and the result and the score there."""
        reached = [(0, 0, 0)]
        for number, one in enumerate(self.rounds, 1):
            for pairing in one["pairings"]:
                if player in pairing["players"]:
                    seat, result = pairing["players"].index(player), pairing["result"]
                    won = 1 if result and seat in result["winners"] else -1
                    reached.append(
                        (number, won, result["scores"][seat]) if result else (number, 0, 0)
                    )
        return reached[-1]
