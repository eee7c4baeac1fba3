import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { HistoryWentBack } from "@arbiter/client";
import { all, json, line, lines, lost, matchAnswering, problem, stream, taken } from "./service.mjs";

const ACTION = { type: "keep" };
const head = (incarnation = "one") => new Response(null, { headers: { "Arbiter-Incarnation": incarnation } });
const ticket = () => [head(), json({ ticket: "t", expires: "2026-01-01T00:00:30Z" })];

/** What the service does with each WebSocket, in order: functions of the socket. */
let script;

class FakeSocket {
  static opened = [];

  constructor(url) {
    this.url = url;
    this.sent = [];
    FakeSocket.opened.push(this);
    const next = script.shift() ?? ((socket) => socket.cut());
    queueMicrotask(() => next(this));
  }

  open() { this.onopen?.({}); }
  send(frame) { this.sent.push(JSON.parse(frame)); this.onsent?.(this.sent.at(-1)); }
  hear(...messages) { for (const one of messages) this.onmessage?.({ data: JSON.stringify(one) }); }
  cut(code = 1006) { this.onclose?.({ code }); }
  close() {}
}

beforeEach(() => {
  FakeSocket.opened = [];
  globalThis.WebSocket = FakeSocket;
});

const over = (seq) => (socket) => { socket.open(); socket.hear({ end: { seq } }); socket.cut(1000); };

test("events come once over sockets that are cut, and the ticket in place of the key", async () => {
  script = [
    (socket) => { socket.open(); socket.hear({ line: line(1) }, { line: line(2) }); socket.cut(); },
    (socket) => { socket.open(); socket.hear({ news: 1 }, { line: line(2) }, { line: line(3) }); socket.cut(1012); },
    over(3),
  ];
  const away = Array(20).fill(lost);
  const { match } = matchAnswering(...ticket(), ...away, ...ticket(), ...ticket());
  assert.deepEqual((await all(match.play())).map(({ seq }) => seq), [1, 2, 3]);
  assert.deepEqual(
    FakeSocket.opened.map(({ url }) => url),
    [0, 2, 3].map((after) => `ws://arbiter.example/v1/matches/m1/play?after=${after}&ticket=t`),
  );
});

test("an action that was not answered is sent again under the same id, also if the service is busy", async () => {
  const busy = { status: 503, body: { code: "try_again", status: 503, title: "Later.", retry_after: 0 } };
  const frames = [];
  script = [
    (socket) => { socket.onsent = () => socket.cut(); socket.open(); },
    (socket) => {
      socket.onsent = (frame) => {
        frames.push(frame);
        const answer = frames.length === 1 ? busy : { status: 201, body: taken(5) };
        socket.hear({ answer: frame.id, ...answer });
        if (answer !== busy) socket.hear({ end: { seq: 5 } }), socket.cut(1000);
      };
      socket.open();
    },
  ];
  const { match } = matchAnswering(...ticket(), ...ticket());
  const play = match.play();
  assert.deepEqual(await play.act(ACTION, { ifMatch: '"seat:0.4"' }), taken(5));
  const sent = FakeSocket.opened.flatMap((socket) => socket.sent);
  assert.equal(sent.length, 3);
  assert.deepEqual(sent[2], { id: sent[0].id, action: ACTION, if_match: '"seat:0.4"' });
  assert.deepEqual(match.receipts, [taken(5).receipt]);
  await all(play);
});

test("a refusal is the answer of its action alone", async () => {
  script = [(socket) => {
    socket.onsent = ({ id }) => socket.hear({ answer: id, status: 412, body: { code: "stale", status: 412, title: "Old." } });
    socket.open();
  }];
  const { match } = matchAnswering(...ticket());
  const play = match.play();
  await assert.rejects(play.act(ACTION), { code: "stale" });
  play.close();
  assert.deepEqual(await all(play), []);
});

test("where no WebSocket can be opened it goes on over a stream, and acts by requests", async () => {
  script = [];
  const byId = {};
  const post = (url, { headers }) => { byId.posted = headers["Idempotency-Key"]; return json(taken(1)); };
  const { match, requests } = matchAnswering(
    ...ticket(), ...ticket(), ...ticket(), post, stream(lines(line(1), { end: true, seq: 1 })),
  );
  const play = match.play();
  const acting = play.act(ACTION, { idempotencyKey: "k1" });
  assert.deepEqual((await all(play)).map(({ seq }) => seq), [1]);
  assert.deepEqual(await acting, taken(1));
  assert.equal(FakeSocket.opened.length, 3);
  assert.equal(byId.posted, "k1");
  assert.match(requests.at(-1).url, /\/stream$/);
});

test("a platform without WebSocket uses the stream at once", async () => {
  delete globalThis.WebSocket;
  const { match } = matchAnswering(stream(lines(line(1), { end: true, seq: 1 })));
  assert.equal((await all(match.play())).length, 1);
});

test("a key that has ended and a history that went back are told", async () => {
  script = [(socket) => { socket.open(); socket.cut(4401); }, (socket) => { socket.open(); socket.cut(4409); }];
  const ended = matchAnswering(...ticket(), head(), problem(401, "key_unknown"));
  const play = ended.match.play();
  const acting = assert.rejects(play.act(ACTION), { code: "key_unknown" });
  await assert.rejects(all(play), { code: "key_unknown" });
  await acting;
  await assert.rejects(all(matchAnswering(...ticket()).match.play({ after: 9 })), HistoryWentBack);
});

test("another history is noticed before a socket is opened again", async () => {
  script = [(socket) => { socket.open(); socket.hear({ line: line(1) }); socket.cut(); }];
  const { match } = matchAnswering(...ticket(), head("two"));
  await assert.rejects(all(match.play()), HistoryWentBack);
  assert.equal(FakeSocket.opened.length, 1);
});

test("who leaves is not kept waiting", async () => {
  script = [(socket) => socket.open()];
  const leaving = new AbortController();
  const play = matchAnswering(...ticket()).match.play({ signal: leaving.signal });
  const acting = assert.rejects(play.act(ACTION), { message: "enough" });
  leaving.abort(new Error("enough"));
  await assert.rejects(all(play), { message: "enough" });
  await acting;
});
