import assert from "node:assert/strict";
import { test } from "node:test";

import { Arbiter, ArbiterError, ConnectionLost } from "@arbiter/client";
import { all, json, KEY, lost, matchAnswering, problem, receipt, taken, URL } from "./service.mjs";

const ACTION = { type: "keep" };
const BUSY = { status: 503, headers: { "Retry-After": "0" } };

test("an action is sent again with the same idempotency key until it is answered", async () => {
  const flooded = problem(429, "too_many_requests", { retry_after: 0 });
  const inFlight = problem(409, "request_in_flight");
  const proxy = new Response("<h1>Bad gateway</h1>", { status: 502 });
  const { match, requests } = matchAnswering(lost, proxy, new Response("", BUSY), flooded, inFlight, json(taken(3)));
  assert.deepEqual(await match.act(ACTION), taken(3));
  assert.equal(requests.length, 6);
  assert.equal(new Set(requests.map(({ headers }) => headers["Idempotency-Key"])).size, 1);
  assert.deepEqual(match.receipts, [taken(3).receipt]);
});

test("each action has an idempotency key of its own", async () => {
  const { match, requests } = matchAnswering(json(taken(3)), json(taken(4)));
  await match.act(ACTION);
  await match.act(ACTION);
  const [one, other] = requests.map(({ headers }) => headers["Idempotency-Key"]);
  assert.notEqual(one, other);
  assert.match(one, /^[0-9a-f]{32}$/);
});

test("an answer that is cut off is asked for again", async () => {
  const cut = () => new Response(new ReadableStream({ pull: (body) => body.error(new TypeError("terminated")) }));
  const { match } = matchAnswering(cut, json({ actions: [] }));
  assert.deepEqual(await match.menu(), { actions: [] });
});

test("a refusal is thrown with its problem, once, and its receipt is kept", async () => {
  const errors = [{ in: "body", pointer: "/chips", code: "too_large", detail: "At most 3." }];
  const { match, requests } = matchAnswering(problem(422, "beyond_stack", { errors, receipt: receipt(9) }));
  await assert.rejects(match.act(ACTION), (error) => {
    assert.ok(error instanceof ArbiterError);
    assert.deepEqual([error.code, error.status, error.errors], ["beyond_stack", 422, errors]);
    assert.match(error.message, /beyond_stack: No\..*\/chips: At most 3\./);
    return true;
  });
  assert.equal(requests.length, 1);
  assert.deepEqual(match.receipts, [receipt(9)]);
});

test("a refusal without a document is thrown by its status", async () => {
  const headers = { "Content-Type": "application/problem+json" };
  const arbiter = new Arbiter({ url: URL, fetch: async () => new Response(null, { status: 401, headers }) });
  await assert.rejects(arbiter.request("/matches/1/view", { method: "HEAD" }), { code: "http_401", status: 401 });
});

test("nobody waits longer than they would for the rest", async () => {
  const { match, requests } = matchAnswering(problem(429, "too_many_submissions", { retry_after: 3600 }));
  await assert.rejects(match.act(ACTION), { code: "too_many_submissions", retryAfter: 3600 });
  assert.equal(requests.length, 1);
});

test("without a connection it is given up in the end", async () => {
  const { match } = matchAnswering(...Array(20).fill(lost));
  await assert.rejects(match.view(), ConnectionLost);
});

test("If-Match is the ETag of a view, or names its number", async () => {
  const tag = '"seat:0.5/a-release"';
  const view = { audience: "seat:0", seq: 5 };
  const { match, requests } = matchAnswering(json(view, 200, { ETag: tag }), json(taken(6)), json(taken(7)));
  await match.act(ACTION, { ifMatch: await match.view() });
  await match.act(ACTION, { ifMatch: view });
  assert.deepEqual(requests.slice(1).map(({ headers }) => headers["If-Match"]), [tag, '"seat:0.5"']);
});

test("a key is in headers alone", async () => {
  const { match, requests } = matchAnswering(json({}), json({ ticket: "t" }));
  await match.view({ at: 3, as: "seat:0" });
  await match.ticket({ as: "seat:0" });
  assert.deepEqual(requests.map(({ url }) => url.replace(URL, "")), [
    "/v1/matches/m1/view?at=3&as=seat%3A0",
    "/v1/matches/m1/stream-tickets",
  ]);
  for (const { headers } of requests) assert.equal(headers.Authorization, `Bearer ${KEY}`);
});

test("an invitation is accepted by its link, whose token is sent to the service alone", async () => {
  const seat = { match: "m2", seat: 1, name: "Ben", key: "arb_s1_new" };
  const { arbiter, requests } = matchAnswering(lost, json(seat));
  assert.deepEqual(await arbiter.acceptInvitation("https://play.example/play/m2?x=1#the-token"), seat);
  const [first, second] = requests;
  assert.equal(second.url, `${URL}/v1/matches/m2/invitations/accept`);
  assert.equal(second.body, '{"token":"the-token"}');
  assert.equal(first.headers["Idempotency-Key"], second.headers["Idempotency-Key"]);
});

test("an abort ends the waiting", async () => {
  const leaving = new AbortController();
  const { match } = matchAnswering(() => {
    leaving.abort(new Error("enough"));
    return new Response("", BUSY);
  });
  await assert.rejects(match.view({ signal: leaving.signal }), { message: "enough" });
});

test("what would be refused the second time is sent once", async () => {
  const { match, requests } = matchAnswering(lost);
  await assert.rejects(match.start(), ConnectionLost);
  assert.equal(requests.length, 1);
});

test("the list of matches goes on to its last page", async () => {
  const { arbiter, requests } = matchAnswering(
    json({ matches: [{ id: "b" }], next: "b" }), json({ matches: [{ id: "a" }], next: null }),
  );
  assert.deepEqual(await all(arbiter.matches({ game: "together" })), [{ id: "b" }, { id: "a" }]);
  assert.match(requests[1].url, /\/matches\?game=together&after=b$/);
});

test("what is no address is refused at once", () => {
  assert.throws(() => new Arbiter({ url: "arbiter" }), TypeError);
});
