import assert from "node:assert/strict";
import { test } from "node:test";

import { HistoryWentBack } from "@arbiter/client";
import { all, json, line, lines, lost, matchAnswering, problem, stream, taken } from "./service.mjs";

const ACTION = { type: "keep" };
const END = { end: true, seq: 3 };
const numbers = (events) => events.map(({ seq }) => seq);

test("events come once over streams that are cut, and who stops listening goes on where it was", async () => {
  const cut = stream(lines(line(1), line(2)), { cut: true });
  const { match, requests } = matchAnswering(cut, lost, stream(lines(line(2), line(3))), stream(lines(line(3), END)));
  const play = match.play();
  const seen = [];
  for await (const { seq } of play) if (seen.push(seq) === 3) break;
  assert.deepEqual([...seen, ...numbers(await all(play))], [1, 2, 3]);
  assert.deepEqual(requests.map(({ headers }) => headers["Last-Event-ID"]), ["0", "2", "2", "3"]);
});

test("an action that was not answered is sent again under the same key, also if the service is busy", async () => {
  const busy = problem(503, "try_again", { retry_after: 0 });
  const { match, requests } = matchAnswering(lost, busy, json(taken(5)));
  assert.deepEqual(await match.play().act(ACTION, { ifMatch: '"seat:0.4"' }), taken(5));
  const keys = new Set(requests.map(({ headers }) => headers["Idempotency-Key"]));
  assert.equal(keys.size, 1);
  for (const { headers } of requests) assert.equal(headers["If-Match"], '"seat:0.4"');
  assert.deepEqual(match.receipts, [taken(5).receipt]);
});

test("a refusal is the answer of its action alone", async () => {
  const { match } = matchAnswering(problem(412, "stale"), stream(lines(line(1), { end: true, seq: 1 })));
  const play = match.play();
  await assert.rejects(play.act(ACTION), { code: "stale" });
  assert.deepEqual(numbers(await all(play)), [1]);
});

test("a key that has ended and a history that went back are told", async () => {
  await assert.rejects(all(matchAnswering(problem(401, "key_unknown")).match.play()), { code: "key_unknown" });
  const beyond = matchAnswering(problem(409, "history_went_back"));
  await assert.rejects(all(beyond.match.play({ after: 9 })), HistoryWentBack);
});

test("another history is noticed when a stream is opened again", async () => {
  const { match } = matchAnswering(stream(lines(line(1)), { cut: true }), stream(lines(line(2)), { incarnation: "two" }));
  await assert.rejects(all(match.play()), HistoryWentBack);
});

test("who leaves is not kept waiting", async () => {
  const never = (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const leaving = new AbortController();
  const { match } = matchAnswering(never, never);
  const play = match.play({ signal: leaving.signal });
  const acting = assert.rejects(play.act(ACTION), { message: "enough" });
  const following = assert.rejects(all(play), { message: "enough" });
  leaving.abort(new Error("enough"));
  await following;
  await acting;
});

test("who closes it hears no more, and no error", async () => {
  const open = (_, { signal }) => {
    const start = (body) => {
      body.enqueue(new TextEncoder().encode(lines(line(1))[0]));
      signal.addEventListener("abort", () => body.error(signal.reason));
    };
    return new Response(new ReadableStream({ start }), { headers: { "Arbiter-Incarnation": "one" } });
  };
  const { match } = matchAnswering(open);
  const play = match.play();
  const seen = [];
  for await (const { seq } of play) {
    seen.push(seq);
    play.close();
  }
  assert.deepEqual(seen, [1]);
});
