"""429: a client with too many requests learns when to retry, and no one else notices."""

from collections.abc import Iterator
from contextlib import ExitStack
from uuid import UUID

import pytest

from service.auth.keyring import hash_key
from service.auth.rate_limiter import Rates
from tests.support.http.invitations import accept, invited, token_of
from tests.support.http.match_play import assert_problem
from tests.support.http.openapi_document import check
from tests.support.http.rate_limited_server import Elsewhere, at, new_address, rate_limited
from tests.support.servers.live_server import Answer, Live, LiveMatch, Player
from tests.support.waiting import wait_until

BY_KEY, BY_ADDRESS, FAILURES = 6, 4, 3
RATES = Rates(f"{BY_KEY}/minute", f"{BY_ADDRESS}/minute", f"{FAILURES}/minute", 2, 3, 5)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with rate_limited(tmp_path_factory.mktemp("measuring"), RATES) as server:
        yield server


@pytest.fixture
def match(live: Live) -> LiveMatch:
    match = live.started("dollar-prize")
    for seat in match.seats:
        assert seat.view().status_code == 200, "from now on the key is known"
    return match


@pytest.fixture
def address() -> str:
    return new_address()


def forget_keys(live: Live) -> None:
    """The instance has forgotten all keys, like one that has just been started."""
    live.instance.keyring._slots.clear()


def given_ticket(player: Player) -> str:
    answer = player.client.post(f"{player.path}/stream-tickets", {})
    return str(answer.json()["ticket"])


def statuses(answers: list[Answer]) -> list[int]:
    return [answer.status_code for answer in answers]


def test_requests_of_a_key_are_counted_wherever_they_come_from(
    live: Live, match: LiveMatch
) -> None:
    answers = [at(new_address(), live, match, match.keys[0]).view() for _ in range(BY_KEY + 1)]
    assert statuses(answers[:-1]) == [200] * BY_KEY
    answer = answers[-1]
    assert_problem(answer, 429, "too_many_requests")
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    check(live.anyone.get("/schema/openapi.json").json(), "viewMatch", answer)


def test_a_refused_action_is_not_on_record(live: Live, match: LiveMatch, address: str) -> None:
    player = at(address, live, match, match.keys[0])
    for _ in range(BY_KEY):
        player.view()
    before = match.moderator.view().content
    assert player.act({"type": "choose_side", "side": "heads"}).status_code == 429
    assert match.moderator.view().content == before


def test_requests_of_others_at_the_same_address_do_not_count(
    live: Live, match: LiveMatch, address: str
) -> None:
    """Two seats in one house: the other one's requests, guesses and onlookers change nothing."""
    first, second = (at(address, live, match, key) for key in match.keys)
    passer_by, guesser = at(address, live, match), at(address, live, match, "arb_s0_x_y")
    for noisy in (second, passer_by, guesser):
        last = [noisy.view() for _ in range(BY_KEY + 1)][-1]
        assert last.status_code == 429
    answers = [first.view() for _ in range(BY_KEY + 1)]
    assert statuses(answers) == [200] * BY_KEY + [429]


def test_without_a_key_requests_are_counted_by_address(
    live: Live, match: LiveMatch, address: str
) -> None:
    passer_by = at(address, live, match)
    answers = [passer_by.view() for _ in range(BY_ADDRESS + 1)]
    assert statuses(answers) == [200] * BY_ADDRESS + [429]
    assert at(new_address(), live, match).view().status_code == 200


def test_unknown_keys_are_limited_strictly(live: Live, match: LiveMatch, address: str) -> None:
    answers = [at(address, live, match, f"arb_mod_x_{n}").view() for n in range(FAILURES + 1)]
    assert statuses(answers) == [401] * FAILURES + [429]
    assert_problem(answers[-1], 429, "too_many_requests")


def test_guesses_at_a_slot_are_limited_strictly(live: Live, match: LiveMatch, address: str) -> None:
    def guess(slot: str, n: int) -> int:
        key = f"arb_{slot}_{UUID(match.id).hex}_{n:064}"
        return at(address, live, match, key).view().status_code

    assert [guess("s0", n) for n in range(FAILURES + 1)] == [401] * FAILURES + [429]
    assert guess("s1", 0) == 401, "what is guessed of one slot does not speak of another"


def test_guesses_at_invitations_are_limited_strictly(
    live: Live, match: LiveMatch, address: str
) -> None:
    token = token_of(invited(match))

    def tried(where: str, offered: str) -> Answer:
        return accept(Elsewhere(live.http, None, where), match.id, offered)

    answers = [tried(address, f"guess-{n}") for n in range(FAILURES)]
    assert statuses(answers) == [404] * FAILURES
    assert_problem(tried(address, token), 429, "too_many_requests")
    assert tried(new_address(), token).status_code == 201


@pytest.mark.parametrize("slot", ["arb_mod_x", "arb_s0_{ring}", "arb_s1_{ring}", "arb_s9_{ring}"])
def test_a_key_not_in_memory_yet_works_whatever_its_neighbours_send(
    live: Live, match: LiveMatch, address: str, slot: str
) -> None:
    """After a restart, say."""
    forget_keys(live)
    of_slot = slot.format(ring=UUID(match.id).hex)
    for n in range(FAILURES + 1):
        last = at(address, live, match, f"{of_slot}_{n:064}").view()
    assert last.status_code in (429, 401)
    passer_by = at(address, live, match)
    assert [passer_by.view() for _ in range(BY_ADDRESS + 1)][-1].status_code == 429
    assert at(address, live, match, match.keys[0]).view().status_code == 200


def test_a_revoked_key_does_not_show_at_another(live: Live, match: LiveMatch, address: str) -> None:
    other, player = live.started("dollar-prize"), at(address, live, match, match.keys[0])
    for n in range(BY_ADDRESS + 1):
        at(address, live, match, f"arb_mod_{UUID(other.id).hex}_{n:064}").view()
    live.instance.keyring.revoke(UUID(other.id), hash_key(other.keys[0]))
    assert statuses([player.view() for _ in range(BY_KEY - 1)]) == [200] * (BY_KEY - 1)


def test_unknown_tickets_count_as_unknown_keys(live: Live, match: LiveMatch, address: str) -> None:
    passer_by = at(address, live, match)
    answers = [passer_by.try_stream(ticket=f"t{n}") for n in range(FAILURES + 1)]
    assert statuses(answers) == [401] * FAILURES + [429]


def test_a_ticket_works_whatever_its_neighbours_send(
    live: Live, match: LiveMatch, address: str
) -> None:
    passer_by = at(address, live, match)
    for n in range(FAILURES + 1):
        last = passer_by.try_stream(ticket=f"t{n}")
    assert last.status_code == 429
    ticket = given_ticket(match.seats[0])
    with passer_by.stream(ticket=ticket) as answer:
        assert answer.status_code == 200
    assert passer_by.client.get(f"{passer_by.path}/view", ticket=ticket).status_code == 429, (
        "it is good for nothing else"
    )
    for text in [ticket] * (BY_ADDRESS - 1) + [given_ticket(match.seats[0])]:
        wait_until(lambda: not live.instance.broadcast.followed)
        assert passer_by.try_stream(ticket=text).status_code == 200
    assert passer_by.try_stream(ticket=ticket).status_code == 429, "a ticket has its own limit"
    assert passer_by.try_stream(ticket=f"{ticket}x").status_code == 429
    until_free(live)


def test_a_reader_at_the_limit_of_streams_comes_back_with_its_ticket(
    live: Live, match: LiveMatch, address: str
) -> None:
    """Its new stream ends its older one, which the server may not have noticed to be cut off. A
    browser does not ask again after a 429."""
    passer_by, tickets = at(address, live, match), list[str]()
    with ExitStack() as opened:
        for _ in range(RATES.streams_by_key):
            tickets.append(given_ticket(match.seats[0]))
            answer = opened.enter_context(passer_by.stream(ticket=tickets[-1]))
            assert answer.status_code == 200
        assert passer_by.try_stream(ticket=tickets[0]).status_code == 200


def test_a_rejected_guess_does_not_hide_public_data(
    live: Live, match: LiveMatch, address: str
) -> None:
    answers = [at(address, live, match, "arb_mod_x_y").view() for _ in range(FAILURES + 1)]
    assert answers[-1].status_code == 429
    assert at(address, live, match).view().status_code == 200


def test_a_forgotten_key_is_no_guess(live: Live, match: LiveMatch, address: str) -> None:
    """A key that must be looked up counts by address, and as no failure."""
    player = at(address, live, match, match.keys[0])
    answers = []
    for _ in range(BY_ADDRESS + 1):
        forget_keys(live)
        answers.append(player.view())
    assert statuses(answers) == [200] * BY_ADDRESS + [429]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_questions_about_health_are_not_limited(live: Live, address: str, path: str) -> None:
    client = Elsewhere(live.http, None, address)
    assert {client.get(path).status_code for _ in range(BY_ADDRESS + 2)} == {200}


@pytest.mark.parametrize("path", ["/", "/schema/assets/start.js", "/verify", "/docs"])
def test_pages_and_their_files_are_limited_like_other_paths(
    live: Live, address: str, path: str
) -> None:
    client = Elsewhere(live.http, None, address)
    assert {client.get(path).status_code for _ in range(BY_ADDRESS)} == {200}
    answer = client.get(path)
    assert_problem(answer, 429, "too_many_requests")
    assert int(answer.headers["retry-after"]) >= 1


def test_the_key_is_not_read_where_the_public_is_named(
    live: Live, match: LiveMatch, address: str
) -> None:
    players = [at(address, live, match, key) for key in (*match.keys, "arb_mod_x_y", None)]
    answers = [players[n % 4].view("public") for n in range(BY_ADDRESS)]
    assert statuses(answers) == [200] * BY_ADDRESS
    assert {player.view("public").status_code for player in players} == {429}
    assert players[0].view().status_code == 200, "the key's own requests are counted by the key"


def test_this_machine_is_not_limited(match: LiveMatch) -> None:
    for player in (match.seats[0], match.anyone):
        assert {player.view().status_code for _ in range(BY_KEY * 3)} == {200}


def test_the_streams_of_a_key_are_limited(live: Live, match: LiveMatch) -> None:
    with ExitStack() as opened:
        for _ in range(RATES.streams_by_key):
            player = at(new_address(), live, match, match.keys[0])
            assert opened.enter_context(player.stream()).status_code == 200
        answer = at(new_address(), live, match, match.keys[0]).try_stream()
        assert_problem(answer, 429, "too_many_requests")
        assert int(answer.headers["retry-after"]) >= 1
        other = at(new_address(), live, match, match.keys[1])
        assert opened.enter_context(other.stream()).status_code == 200
    until_free(live)


def test_the_streams_of_an_address_are_limited(live: Live, match: LiveMatch, address: str) -> None:
    passer_by = at(address, live, match)
    with ExitStack() as opened:
        for _ in range(RATES.streams_by_address):
            assert opened.enter_context(passer_by.stream()).status_code == 200
        assert_problem(passer_by.try_stream(), 429, "too_many_requests")
        seat = at(address, live, match, match.keys[0])
        assert opened.enter_context(seat.stream()).status_code == 200, "a seat counts by its key"
    until_free(live)


def test_a_full_process_says_so(live: Live, match: LiveMatch) -> None:
    with ExitStack() as opened:
        for _ in range(RATES.streams):
            assert opened.enter_context(match.anyone.stream()).status_code == 200
        answer = match.anyone.try_stream()
        assert_problem(answer, 503, "try_again")
        assert int(answer.headers["retry-after"]) >= 1
    until_free(live)


def test_a_failed_request_occupies_no_stream(live: Live, match: LiveMatch) -> None:
    for _ in range(RATES.streams + 1):
        assert match.anyone.try_stream(after=999).status_code == 409
    with match.anyone.stream() as answer:
        assert answer.status_code == 200
    until_free(live)


def until_free(live: Live) -> None:
    """Returns when no one occupies a stream any more: the server notices a little later."""
    match = live.started("dollar-prize")
    with ExitStack() as opened:
        for _ in range(500):
            try:
                for _ in range(RATES.streams):
                    assert opened.enter_context(match.anyone.stream()).status_code == 200
            except AssertionError:
                opened.close()
                continue
            return
    raise AssertionError("streams that were left are still counted")
