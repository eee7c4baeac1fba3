"""What an audience has been told, as receipts bind it: the formulas, spelt out."""

import hmac
from hashlib import sha256

from domain.proof.seen import begin_chain, chain_proof, extend_chain, nonce_of, seen_key

MATCH = "0199aa00-0000-7000-8000-000000000000"
LEAF_HASHES = [sha256(bytes([n])).digest() for n in range(3)]
LOG_KEY = bytes(range(32))


def lp(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def test_the_chain_is_that_of_the_description() -> None:
    chain = sha256(lp(b"arbiter-seen/1", MATCH.encode(), b"seat:1")).digest()
    assert begin_chain(MATCH, "seat:1") == chain
    for hashed in LEAF_HASHES:
        following = sha256(lp(b"arbiter-seen/1", chain, hashed)).digest()
        assert extend_chain(chain, hashed) == following
        chain = following
    blinded = hmac.new(LOG_KEY, lp(b"n" * 32, chain), sha256).digest()
    assert chain_proof(LOG_KEY, b"n" * 32, chain) == blinded


def test_the_chains_of_two_audiences_and_two_matches_have_nothing_in_common() -> None:
    begins = {
        begin_chain(match, who) for match in (MATCH, MATCH[::-1]) for who in ("seat:1", "moderator")
    }
    assert len(begins) == 4


def test_key_and_nonces_say_nothing_about_one_another() -> None:
    nonces = [nonce_of(LOG_KEY, index) for index in range(100)]
    known = {LOG_KEY, seen_key(LOG_KEY), *nonces}
    assert len(known) == 102 and {len(one) for one in known} == {32}
    assert nonces == [nonce_of(LOG_KEY, index) for index in range(100)]
    assert nonces[0] != nonce_of(bytes(32), 0)
