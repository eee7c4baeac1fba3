// A service that exchanges its commitment to the seed between showing it and answering.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { HistoryWentBack, WrongCommitment } from "@arbiter/client";
import { sha256 } from "./node_modules/@arbiter/client/dist/stored.js";
import { all, creation, json, line, lines, matchAnswering, matchNoted, problem, receipt, stream, taken } from "./service.mjs";

const ACTION = { type: "keep" };
const OTHER = `${"B".repeat(43)}=`;
const END = () => json({ events: [], next: null });
const filled = (character) => btoa(character.repeat(32));

const shown = (seq, epoch, commit = "c") => ({
  ...line(seq, "match.seed-committed.1", {
    epoch,
    scheme: "arbiter-rng/1",
    commit: filled(commit),
    rules_hash: filled("r"),
    roster_hash: filled("o"),
    names: [filled("a"), filled("b")],
  }),
  at: "2026-11-21T14:00:00.000165Z",
});
/** What receipts name `shown(12, 1)` and `shown(2, 0)` by: as the service hashes them. */
const NAMED_1 = "JKVWb2nQeDKIQ8DbevW29ZTYGyOak4T1ZMFltKNKLXQ=";
const NAMED_0 = "T0aCyPB32hqpy00l4g3vSiihNd/O9G6/aVELbVq7gOc=";

const page = (...events) => json({ events, next: null });
const told = (...events) => stream(lines(...events, { end: true, seq: events.at(-1).seq }));
const alarm = (evidence) => (error) => {
  assert.ok(error instanceof WrongCommitment, error);
  for (const [name, value] of Object.entries(evidence)) assert.deepEqual(error.evidence[name], value);
  return true;
};

test("SHA-256 is SHA-256", () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const message = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
    assert.deepEqual([...sha256(message)], [...createHash("sha256").update(message).digest()]);
  }
});

test("a receipt that names the commitment of the note is taken", async () => {
  const { match, requests } = matchAnswering(json(taken(9)));
  assert.equal((await match.act(ACTION)).receipt.seq, 9);
  assert.equal(requests.length, 1);
});

test("another one is an alarm that keeps the evidence", async () => {
  const wrong = [receipt(9, OTHER), receipt(9, undefined, "m2"), { ...receipt(9), seat: 1 }, { ...receipt(9), seq: 8 }, { ...receipt(9), note: null }];
  for (const one of wrong) {
    const { match } = matchAnswering(json({ receipt: one, view: {} }), END);
    await assert.rejects(match.act(ACTION), alarm({ note: creation(), receipt: one, event: null }));
    assert.deepEqual(match.receipts, [one]);
    const refused = matchAnswering(problem(422, "no", { receipt: one }), END);
    await assert.rejects(refused.match.act(ACTION), alarm({ receipt: one }));
  }
});

test("a seed is given behind what was shown, and its receipt names it", async () => {
  const honest = matchAnswering(page(shown(5, 1)), json(taken(9, NAMED_1)));
  assert.equal((await honest.match.seed("dice")).receipt.seq, 9);
  const { match } = matchAnswering(page(shown(5, 1)), json(taken(9, OTHER)), END);
  await assert.rejects(match.seed("dice"), alarm({ event: shown(5, 1) }));
});

test("the note is of the commitment in the events", async () => {
  const honest = matchNoted(creation(NAMED_0), told(shown(2, 0)));
  await all(honest.match.follow());
  assert.equal(await honest.match.note(), creation(NAMED_0));
  const { match } = matchAnswering(told(shown(2, 0)));
  await all(match.follow());
  await assert.rejects(match.note(), alarm({ note: creation(), event: shown(2, 0) }));
});

test("behind a rewind the receipt names the commitment of the new epoch", async () => {
  const { match } = matchAnswering(told(shown(12, 1)), json(taken(9)), json(taken(14, NAMED_1)), json(taken(14)), END);
  await all(match.follow());
  await match.act(ACTION);
  await match.act(ACTION);
  await assert.rejects(match.act(ACTION), alarm({ event: shown(12, 1) }));
});

test("a rewind that was not heard of is read, and is no excuse for what was before it", async () => {
  const { match, requests } = matchAnswering(json(taken(14, NAMED_1)), page(shown(12, 1)), json(taken(9, NAMED_1)), END);
  await match.act(ACTION);
  assert.match(requests[1].url, /\/events\?after=2&limit=1000$/);
  await assert.rejects(match.act(ACTION), alarm({ event: null }));
});

test("an event that is told otherwise is an alarm, unless the service has gone back to a backup", async () => {
  const { match } = matchAnswering(
    told(shown(12, 1)), told(shown(12, 1, "d")), problem(409, "history_went_back"), told(shown(12, 1, "d")),
  );
  await all(match.follow());
  await assert.rejects(all(match.follow()), alarm({ event: shown(12, 1) }));
  await assert.rejects(all(match.follow()), HistoryWentBack);
  await all(match.follow());
});
