import assert from "node:assert/strict";
import { test } from "node:test";

import { HistoryWentBack } from "@arbiter/client";
import { all, json, line, lines, lost, matchAnswering, problem, stream } from "./service.mjs";

const END = { end: true, seq: 4 };
const seqs = (events) => events.map(({ seq }) => seq);

test("each event comes once, through cuts at any byte, to the end", async () => {
  const halves = ["\n", ...lines(line(1)), '{"seq":2,"at":"2026', '-01","type":"match.st'];
  const { match, requests } = matchAnswering(
    lost,
    stream(halves, { cut: true }),
    problem(503, "try_again", { retry_after: 0 }),
    stream(lines(line(1), line(2))),
    stream(lines(line(3), line(4), END)),
  );
  assert.deepEqual(seqs(await all(match.follow())), [1, 2, 3, 4]);
  assert.deepEqual(requests.map(({ headers }) => headers["Last-Event-ID"]), ["0", "0", "1", "1", "2"]);
});

test("a match that is over is answered 204", async () => {
  const { match } = matchAnswering(new Response(null, { status: 204 }));
  assert.deepEqual(await all(match.follow({ after: 4 })), []);
});

test("types that are not known are passed on, other lines and members ignored", async () => {
  const news = { ...line(1, "match.invented.7"), more: 1 };
  const { match } = matchAnswering(stream(lines(news, { hint: "new" }, END)));
  assert.deepEqual(await all(match.follow()), [news]);
});

test("a history that went back is told, whether numbers are missing or not", async () => {
  const missing = matchAnswering(problem(409, "history_went_back"));
  await assert.rejects(all(missing.match.follow({ after: 9 })), HistoryWentBack);
  const other = matchAnswering(stream(lines(line(1))), stream(lines(line(2)), { incarnation: "two" }));
  const seen = [];
  await assert.rejects(async () => {
    for await (const { seq } of other.match.follow()) seen.push(seq);
  }, HistoryWentBack);
  assert.deepEqual(seen, [1]);
  const view = json({ seq: 1 }, 200, { "Arbiter-Incarnation": "two" });
  const since = matchAnswering(view, stream(lines(line(2))));
  await assert.rejects(all(since.match.follow({ after: await since.match.view() })), HistoryWentBack);
});

test("a key that has ended is told at the next opening", async () => {
  const { match } = matchAnswering(stream(lines(line(1))), problem(401, "key_unknown"));
  await assert.rejects(all(match.follow()), { code: "key_unknown" });
});

test("who leaves closes the connection, and an abort is thrown", async () => {
  const leaving = new AbortController();
  const { match, requests } = matchAnswering(stream(lines(line(1), line(2))), stream(lines(line(1), line(2))));
  for await (const { seq } of match.follow()) if (seq === 1) break;
  assert.ok(requests[0].signal.aborted);
  await assert.rejects(async () => {
    for await (const event of match.follow({ signal: leaving.signal })) leaving.abort(new Error(`at ${event.seq}`));
  }, { message: "at 1" });
});

test("who follows is told when the stream is open, and when it was cut", async () => {
  const { match } = matchAnswering(stream(lines(line(1)), { cut: true }), lost, stream(lines(line(2), END)));
  const open = [];
  await all(match.follow({ onConnection: (is) => open.push(is) }));
  assert.deepEqual(open, [true, false, false, true]);
});

test("a view has the headers with which it came", async () => {
  const date = "Mon, 23 Nov 2026 12:00:00 GMT";
  const { match } = matchAnswering(json({ seq: 1 }, 200, { Date: date }));
  const view = await match.view();
  assert.equal(match.headers(view).get("Date"), date);
  assert.equal(match.headers({ seq: 1 }), undefined);
});
