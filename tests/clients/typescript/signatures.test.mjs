// Receipts and notes of a creation, by keys that the service publishes and by others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { WrongCommitment, WrongSignature } from "@arbiter/client";
import { creation, json, matchAnswering, matchNoted, matchSigning, problem, receipt, SIGNER, signer, taken } from "./service.mjs";

const ACTION = { type: "keep" };
const [OLD, OTHER, OF_LOGS] = [signer("o"), signer("x"), signer("s", "s/log")];
const by = (one, seq = 9) => receipt(seq, undefined, undefined, one);
const ordered = (one) => receipt(9, undefined, undefined, one, "moderator");
const answer = (one) => json({ receipt: one, view: { audience: "seat:0", seq: 9 } });
const { note: NOTE } = receipt(9);

const alarm = (receipt) => (error) => {
  assert.ok(error instanceof WrongSignature && error instanceof WrongCommitment, error);
  assert.deepEqual(error.evidence.receipt, receipt);
  return true;
};

const flipped = (note, at) => note.slice(0, at) + (note[at] === "A" ? "B" : "A") + note.slice(at + 1);
const UNSIGNED = {
  "a byte of its text": NOTE.replace("\nphase -\n", "\nphase _\n"),
  "a byte of its signature": flipped(NOTE, NOTE.length - 8),
  "the name of its key": NOTE.replace("— s/receipts ", "— r/receipts "),
  "another key": by(OTHER).note,
  "a key of logs": by(OF_LOGS).note,
  "no signature": NOTE.slice(0, NOTE.indexOf("\n\n") + 1),
  "no end": NOTE.slice(0, -1),
  "too many signatures": NOTE + NOTE.slice(NOTE.indexOf("— ")).repeat(16),
};

for (const [what, note] of Object.entries(UNSIGNED)) {
  test(`what no published key has signed is an alarm: ${what}`, async () => {
    const forged = { ...receipt(9), note };
    const { match } = matchSigning(() => [SIGNER, OF_LOGS], creation(), answer(forged));
    await assert.rejects(match.act(ACTION), alarm(forged));
    assert.deepEqual(match.receipts, [forged]);
  });
}

test("a key that was rotated is published and counts", async () => {
  const { match } = matchSigning(() => [OLD, SIGNER], creation(), answer(by(OLD)));
  assert.equal((await match.act(ACTION)).receipt.seq, 9);
  assert.equal(match.unchecked, false);
});

test("a key that is new is read once it is met", async () => {
  const published = [[OLD], [OLD, SIGNER]];
  const { match } = matchSigning(() => published.shift(), creation(undefined, OLD), json(taken(9)), json(taken(10)));
  await match.act(ACTION);
  await match.act(ACTION);
  assert.deepEqual(published, []);
});

test("the note of the creation, refusals and orders are checked", async () => {
  await assert.rejects(matchNoted(creation(undefined, OTHER)).match.note(), alarm(null));
  await assert.rejects(matchAnswering(problem(422, "no", { receipt: by(OTHER) })).match.act(ACTION), alarm(by(OTHER)));
  const { match } = matchAnswering(answer(ordered(SIGNER)), answer(ordered(OTHER)), problem(422, "no", { receipt: ordered(OTHER) }));
  await match.start();
  await assert.rejects(match.draw("d", []), alarm(ordered(OTHER)));
  await assert.rejects(match.closePhase('"moderator.9"'), alarm(ordered(OTHER)));
  assert.equal(match.receipts.length, 3);
  await match.checkOrder({ note: ordered(SIGNER).note });
  await assert.rejects(match.checkOrder({ note: NOTE }), alarm({ note: NOTE }));
});

test("where there is no Ed25519 it is said that nothing is checked", async (context) => {
  context.mock.method(crypto.subtle, "importKey", async () => {
    throw new DOMException("no", "NotSupportedError");
  });
  const { match } = matchAnswering(answer({ ...receipt(9), note: UNSIGNED["a byte of its text"] }), answer(by(OTHER)));
  await match.act(ACTION);
  assert.equal(match.unchecked, true);
  await assert.rejects(match.act(ACTION), alarm(by(OTHER)), "that it names another key needs no Ed25519");
});
