"""`arbiter rule` against a running service: what it shows, sends and answers."""

import re
from collections.abc import Callable
from importlib import import_module

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace
from rich.console import Console

from arbiter_client import Disconnected, Match, Preview, Ruled, Ruling
from arbiter_client.blocking import BlockingTransport
from arbiter_client.requests import Answer, Request
from service.cli import main
from tests.support.cli.audit_runs import as_one_line
from tests.support.http.match_keys import EVE, issued, moderating
from tests.support.http.prepared_service import PreparedService
from tests.support.http.ruling_client import WHY, listed, ruled
from tests.support.servers.live_server import Live, LiveMatch, Player

command = import_module("service.cli.rulings.rule")
"""The module; its name in the package is the name of the command."""

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command with a key. What is `typed` is typed at a terminal; without it there is
    none."""
    monkeypatch.setattr(command, "out", Console(highlight=False, width=100))

    def running(
        address: str, *arguments: str, key: str | None = None, typed: str | None = None
    ) -> Result:
        monkeypatch.setattr(command, "can_ask", lambda: typed is not None)
        monkeypatch.setenv("ARBITER_MATCH_KEY", key or "")
        return CliRunner().invoke(main, ["rule", address, *arguments], input=typed)

    return running


def address(live: Live, player: Player) -> str:
    """The address of a match, as it is typed."""
    return f"{live.url}{player.path}"


REASON = ("--reason", WHY)
SURE = (*REASON, "--yes")
ANN_WINS = (
    *("result", "--winner", "Ann", "--score", "Ann=3", "--score", "ben=1"),
    *("--because", "adjudicated", *SURE),
)


@pytest.fixture
def match(live: Live) -> LiveMatch:
    return live.started("dollar-prize", clock="rules", options={"turn_seconds": 300})


@pytest.fixture
def rule(run: Run, live: Live, match: LiveMatch) -> Run:
    """Runs the command on the match, by default as its moderator."""

    def running(*arguments: str, by: Player = match.moderator, typed: str | None = None) -> Result:
        return run(address(live, by), *arguments, key=by.client.key, typed=typed)

    return running


def in_words(shown: Result) -> str:
    """What is said of an error, without its frame."""
    return as_one_line(shown.stderr.replace("│", " "))


# Rulings of one person.


def test_a_pause_more_time_a_note_and_on_it_goes(rule: Run, match: LiveMatch) -> None:
    for number, arguments in enumerate(
        [("pause",), ("extend", "--seconds", "60"), ("resume",)], start=1
    ):
        shown = rule(*arguments, *SURE)
        assert shown.exit_code == 0, shown.output
        assert "The result and the standings stay as they are." in shown.stdout
        assert shown.stdout.splitlines()[-1].startswith(f"Carried out as ruling {number}: ")
    note = ("note", "--to", "Ben", "--text", "Be quick.", "--severity", "warning")
    assert "It is not public, and has no number" in rule(*note, *SURE).stdout
    kinds = [(one["kind"], one["to"], one["reason"]) for one in listed(match.moderator)]
    assert kinds == [
        ("pause", "public", WHY), ("extend", "public", WHY), ("resume", "public", WHY),
        ("note", "seat:1", WHY),
    ]  # fmt: skip
    assert match.anyone.view().json()["status"] == "running"


def test_what_the_service_refuses_is_said_in_words(rule: Run, match: LiveMatch) -> None:
    refused = rule("resume", *SURE)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "the service refuses (not_paused)" in in_words(refused)
    seat = rule("extend", "--seconds", "9", *SURE, by=match.seats[0])
    assert seat.exit_code == 1 and "(not_allowed)" in seat.stderr
    assert (match.seats[0].client.key or "?") not in seat.output
    assert listed(match.moderator) == []


# Rulings of two people.


def test_a_result_waits_for_a_second_person_who_is_told_how(rule: Run, match: LiveMatch) -> None:
    shown = rule(*ANN_WINS)
    assert shown.exit_code == 0, shown.output
    said = as_one_line(shown.stdout)
    assert "result none Ann wins; Ann 3, Ben 1" in said
    assert "It waits for a second person" in said
    (pending,) = listed(match.moderator)
    assert pending["ordered"]["result"] == {
        "winners": [0], "losers": [1], "shared": False, "scores": [3, 1],
    }  # fmt: skip
    seconding = ("--second", pending["ruling"])
    assert f"{match.id} {' '.join(seconding)}" in said
    alone = rule(*seconding, "--yes")
    assert alone.exit_code == 1 and "(same_person)" in alone.stderr
    seconded = rule(*seconding, "--yes", by=match.judge)
    assert seconded.exit_code == 0, seconded.output
    said = as_one_line(seconded.stdout)
    assert "result: Ann wins; Ann 3, Ben 1 because: adjudicated" in said
    assert f"Carried out as ruling 1: {pending['ruling']}" in said
    assert match.anyone.view().json()["result"]["scores"] == [3, 1]


def test_who_has_a_key_of_the_proposer_is_told_how_to_make_it_theirs(
    rule: Run, live: Live, match: LiveMatch
) -> None:
    eve = moderating(live, match, "Eve")
    pending = ruled(match.organiser, "void")["ruling"]
    unasked = rule("--second", pending, "--yes", by=eve)
    assert unasked.exit_code == 1 and "arbiter keys renew" in in_words(unasked)
    new = eve.client.post("/v1/keys/renew").json()["key"]
    done = rule("--second", pending, "--yes", by=Player(live.bearing(new), match.id))
    assert done.exit_code == 0, done.output
    assert "Carried out as ruling 1" in done.stdout


def test_a_void_match_is_asked_about_and_withdrawn(rule: Run, match: LiveMatch) -> None:
    shown = rule("void", "--ask-seats", *SURE)
    assert "The consent of every seat will do instead" in shown.stdout
    (pending,) = listed(match.seats[1])
    asked = ("--withdraw", pending["ruling"])
    assert rule(*asked, typed="n\n").exit_code == 1
    assert listed(match.moderator)[0]["status"] == "pending"
    withdrawn = rule(*asked, typed="y\n")
    assert (withdrawn.exit_code, "It is withdrawn." in withdrawn.stdout) == (0, True)
    assert listed(match.moderator)[0]["status"] == "withdrawn"
    again = rule(*asked, "--yes")
    assert again.exit_code == 1 and "(not_pending)" in again.stderr


def test_the_list_names_people_and_seats(run: Run, live: Live, match: LiveMatch) -> None:
    eve = issued(match, EVE)["key"]
    to_ben = ("note", "--to", "seat:1", "--text", "Calm.", "--severity", "warning", *SURE)
    at = address(live, match.moderator)
    assert run(at, *to_ben, key=eve).exit_code == run(at, "pause", *SURE, key=eve).exit_code == 0
    shown = run(at, "--list", key=eve).stdout
    said = as_one_line(shown)
    instant = r"[-\d]+ [:.\d]+"
    assert re.search(rf"{instant} note to Ben: carried out, by Eve {WHY} [-\da-f]{{36}} ", said)
    assert re.search(rf" 1 {instant} pause: carried out, by Eve {WHY} [-\da-f]{{36}}", said)
    public = run(at, "--list").stdout
    assert "pause" in public and "note" not in public and "Eve" not in public


# Asking.


def test_everything_is_asked_at_a_terminal(rule: Run, match: LiveMatch) -> None:
    answers = [
        "note",
        "Zoe",
        "Ann",
        "Mind the clock.",
        "loud",
        "clarification",
        WHY,
        "",
        "",
        "",
        "y",
    ]
    shown = rule(typed="\n".join(answers) + "\n")
    assert shown.exit_code == 0, shown.output
    assert "no seat is called 'Zoe'; there are Ann, Ben" in shown.stdout
    assert "'loud' is not one of 'clarification', 'warning', 'uphold'" in shown.stdout
    (made,) = listed(match.moderator)
    assert (made["to"], made["reason"]) == ("seat:0", WHY)
    assert made["ordered"] == {
        "to": "seat:0", "text": "Mind the clock.", "severity": "clarification",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "a KIND is needed where nobody can be asked: pause"),
        (("dance",), "'dance' is not one of"),
        (("pause", *REASON), "--yes is needed where nobody can be asked"),
        (("--second", "a1"), "--yes is needed where nobody can be asked"),
        (("pause", "--yes"), "--reason is needed"),
        (("pause", "--list"), "a KIND, or one of --list"),
        (("--list", "--second", "a1"), "a KIND, or one of --list"),
        (("--list", *REASON), "--reason goes with a KIND"),
        (("--second", "../keys", "--yes"), "is no id of a ruling"),
        (("pause", "--seconds", "5", *SURE), "--seconds is not for pause"),
        (("note", "--to", "Cy", *SURE), "no seat is called 'Cy'"),
    ],
)
def test_what_is_not_understood_is_a_usage_error(
    rule: Run, match: LiveMatch, arguments: tuple[str, ...], said: str
) -> None:
    shown = rule(*arguments)
    assert shown.exit_code == 2, shown.output
    assert said in in_words(shown)
    assert listed(match.moderator) == []


# Once, and as previewed.


def test_a_lost_answer_does_not_rule_twice(
    rule: Run, match: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    sending = BlockingTransport.send
    lost: list[int] = []

    async def losing(transport: BlockingTransport, request: Request) -> Answer:
        answer = await sending(transport, request)
        if answer.status == 201 and not lost:
            lost.append(answer.status)
            raise Disconnected("the connection was cut")
        return answer

    monkeypatch.setattr(BlockingTransport, "send", losing)
    shown = rule("pause", *SURE)
    assert (shown.exit_code, lost) == (0, [201]), shown.output
    assert "Carried out as ruling 1: " in shown.stdout
    assert len(listed(match.moderator)) == 1


def test_a_service_that_does_not_answer_leaves_it_open(
    rule: Run, match: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: object, **__: object) -> Ruled:
        raise Disconnected("no answer")

    monkeypatch.setattr(Match, "rule", silent)
    shown = rule("pause", *SURE)
    assert shown.exit_code == 1
    assert "whether the ruling was made, --list tells" in in_words(shown)


def test_what_has_happened_since_the_preview_stops_it(
    rule: Run, match: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    previewing = command._preview

    def then_acts(*arguments: object) -> str:
        tag: str = previewing(*arguments)
        acted = match.seats[0].act({"type": "choose_side", "side": "heads"})
        assert acted.status_code == 201, acted.text
        return tag

    monkeypatch.setattr(command, "_preview", then_acts)
    shown = rule("pause", *SURE)
    assert shown.exit_code == 1
    assert "something has happened in the match since the preview" in in_words(shown)
    assert listed(match.moderator) == []


def test_a_moderator_is_shown_the_events_that_would_be_undone(
    rule: Run, match: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = Match.preview

    def with_undone(match: Match, ruling: Ruling) -> Preview:
        return replace(reading(match, ruling), undone=(1, 2))

    monkeypatch.setattr(Match, "preview", with_undone)
    said = as_one_line(rule("pause", *SURE).stdout)
    assert "Undone: events p1 (1), p2 (2), as moderators count" in said
    assert re.search(r"p1 1 [:.\d]+ \S* ?The match is set up", said), said
    others = as_one_line(rule("resume", *SURE, by=match.organiser).stdout)
    assert "Undone: events 1, 2, as moderators count Carried out" in others


# What other services answer.

MATCH = "0199aa00-0000-7000-8000-00000000ffff"
SEATED = b'{"id":"%b","seats":["Ann","Zoe"],"former_holders":[]}' % MATCH.encode()
REFUSED = b'{"title":"No.","code":"not_allowed"}'


def test_a_rewind_shows_what_it_undoes_and_what_seats_keep(
    run: Run, server: PreparedService
) -> None:
    preview = (
        b'{"undone":[7,9],"misfit":{"seq":11,"public_seq":8,"code":"not_your_turn"},"before":{"result":null},'
        b'"after":{"result":null},"learnt":[{"seat":1,"events":[9]}]}'
    )
    server.answers = [
        (200, SEATED), (200, preview), (403, REFUSED),
        (202, b'{"ruling":"ab","n":null,"kind":"rewind","status":"pending"}'),
    ]  # fmt: skip
    asked = ("rewind", "--before", "7", "--reapply", "while-legal", *SURE)
    shown = run(f"{server.url}/v1/matches/{MATCH}", *asked)
    assert shown.exit_code == 0, shown.output
    said = as_one_line(shown.stdout)
    assert "Undone: events 7, 9, as moderators count" in said
    assert "not legal any more: event p8 (11): not_your_turn" in said
    assert "What Zoe has received since, and keeps: event 9" in said
    sent = b'"kind":"rewind","before":7,"reapply":"while_legal","reason":"%b"' % WHY.encode()
    assert server.bodies[1] == b'{%b,"preview":true}' % sent
    assert server.bodies[3] == b"{%b}" % sent


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (b'"arb_s1_7"', "The new key of the seat, shown this once:\narb_s1_7\n"),
        (b"null", "was in an answer that was lost: issue another one.\n"),
    ],
)
def test_a_new_key_is_shown(run: Run, server: PreparedService, key: bytes, said: str) -> None:
    server.answers = [
        (200, SEATED), (200, b'{"before":{},"after":{}}'),
        (201, b'{"ruling":"ab","n":4,"status":"carried_out","key":%b}' % key),
    ]  # fmt: skip
    asked = ("replace-seat", "--seat", "zoe", "--name", "Cy", *SURE)
    shown = run(f"{server.url}/v1/matches/{MATCH}", *asked)
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.endswith(said)
    assert b'"kind":"replace_seat","seat":1,"name":"Cy"' in server.bodies[2]
