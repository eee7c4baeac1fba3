import assert from "node:assert/strict";
import { test } from "node:test";

import { json, line, lines, lost, matchAnswering, problem, receipt, stream, taken } from "./service.mjs";

const ACTION = { type: "keep" };
const END = { end: true, seq: 99 };
const RESULT = { winners: [0], losers: [1], shared: false, scores: [1, 0] };

const view = (seq, seats = [], more = {}) => json({ audience: "seat:0", seq, status: "running", awaiting: { seats }, result: null, ...more });
const menu = (awaited, submitted = false) =>
  json({ actions: awaited ? [{ type: "keep", examples: [ACTION] }] : [], awaited, submitted, standing: null });
const awaiting = (seq, seats) => line(seq, "match.awaiting-changed.1", { seats });
const ended = () => view(99, [], { result: RESULT });
const first = (menu) => menu.actions[0].examples[0];

function sent(requests) {
  return requests.filter(({ method, url }) => method === "POST" && url.endsWith("/actions"));
}

/** A bot that looks while others are awaited, is answered as `turns` say, and sees the match end. */
function botAnswering(events, ...turns) {
  const waiting = [view(1), view(1), menu(false), stream(lines(...events, END))];
  return matchAnswering(...waiting, ...turns, ended());
}

test("it acts as long as the match waits for it alone", async () => {
  const { match, requests } = botAnswering(
    [awaiting(2, [1]), awaiting(3, [0])],
    view(3, [0]), menu(true), json(taken(4)),
    view(4, [0]), menu(true), json(taken(5)),
    view(5, [1]), menu(false),
  );
  assert.deepEqual(await match.bot(first), RESULT);
  assert.equal(sent(requests).length, 2);
  assert.equal(match.receipts.length, 2);
});

test("in a sealed phase it acts once, whatever the menu says of what it has submitted", async () => {
  const own = line(3, "match.action-received.1", { seat: 0 });
  const { match, requests } = botAnswering(
    [awaiting(2, [0, 1]), own, awaiting(4, [1])],
    view(2, [0, 1]), menu(true), json(taken(3)),
  );
  await match.bot(first);
  assert.equal(sent(requests).length, 1);
});

test("what does not count is not sent again", async () => {
  const { match, requests } = botAnswering(
    [awaiting(2, [0])],
    view(2, [0]), menu(true), json({ receipt: { ...receipt(2), valid: false, code: "not_three_votes" }, view: {} }),
  );
  await match.bot(first);
  assert.equal(sent(requests).length, 1);
});

test("what it has submitted before it was started again stands", async () => {
  const { match, requests } = botAnswering([awaiting(2, [0, 1])], view(2, [0, 1]), menu(true, true));
  await match.bot(first);
  assert.deepEqual(sent(requests), []);
});

test("it looks again when something has happened since it looked", async () => {
  const { match, requests } = botAnswering(
    [awaiting(2, [0])],
    view(2, [0]), menu(true), problem(412, "stale"),
    view(3, [1]), menu(false),
  );
  await match.bot(first);
  assert.equal(sent(requests)[0].headers["If-Match"], '"seat:0.2"');
});

test("after a pause it goes on", async () => {
  const { match, requests } = botAnswering(
    [awaiting(2, [0]), line(3, "match.paused.1"), line(4, "match.resumed.1")],
    view(2, [0]), menu(true), problem(409, "match_not_running"),
    view(4, [0]), menu(true), json(taken(5)),
    view(5, [1]), menu(false),
  );
  await match.bot(first);
  assert.equal(sent(requests).length, 2);
});

test("an action that the rules refuse is its author's to mend", async () => {
  const { match } = botAnswering([awaiting(2, [0])], view(2, [0]), menu(true), problem(422, "beyond_stack"));
  await assert.rejects(match.bot(first), { code: "beyond_stack" });
});

test("it waits for a service that is away", async () => {
  const { match } = matchAnswering(
    ...Array(20).fill(lost), view(1), view(1), menu(false), stream(lines(END)), ended(),
  );
  assert.deepEqual(await match.bot(first), RESULT);
});

test("after a history that went back it begins again", async () => {
  const { match } = matchAnswering(
    view(7), view(7), menu(false), problem(409, "history_went_back"),
    view(1), view(1), menu(false), stream(lines(END)),
    ended(),
  );
  assert.deepEqual(await match.bot(first), RESULT);
});
