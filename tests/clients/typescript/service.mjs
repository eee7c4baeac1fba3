// A service that answers as a test says, and waits that are over at once.
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { Arbiter } from "@arbiter/client";

export const URL = "http://arbiter.example";
export const KEY = "arb_s0_secret";

const later = globalThis.setTimeout;
// What is waited for before something is repeated is short; silence stays long.
globalThis.setTimeout = (call, milliseconds) => later(call, milliseconds > 20_000 ? milliseconds : 0);

/**
 * A match whose requests are answered by `answers`, in order: functions of the request, or answers. That
 * for the note of the creation is answered by `creation`, and not counted.
 */
export function matchAnswering(...answers) {
  return matchNoted(creation(), ...answers);
}

/** The same with this note of the creation. */
export function matchNoted(note, ...answers) {
  return matchSigning(() => [SIGNER], note, ...answers);
}

/** The same that answers with the keys of what `signers` gives, whenever it is asked for its keys. */
export function matchSigning(signers, note, ...answers) {
  const requests = [];
  const fetch = async (url, request) => {
    if (url.endsWith("/note")) return json({ note });
    if (url.endsWith("/v1/keys")) return json({ keys: signers().map(({ key }) => ({ purpose: "receipts", key })) });
    requests.push({ url, ...request });
    request.signal?.throwIfAborted();
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`no answer to ${url}`);
    return typeof answer === "function" ? answer(url, request) : answer;
  };
  const arbiter = new Arbiter({ url: URL, key: KEY, fetch });
  return { match: arbiter.match("m1"), arbiter, requests };
}

export function json(body, status = 200, headers = {}) {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

export function problem(status, code, more = {}) {
  const document = { type: `urn:arbiter:${code}`, title: "No.", status, code, ...more };
  return new Response(JSON.stringify(document), { status, headers: { "Content-Type": "application/problem+json" } });
}

/** As `fetch` throws when there is no connection. */
export function lost() {
  throw new TypeError("fetch failed");
}

export const line = (seq, type = "match.started.1", data = {}) => ({ seq, at: "2026-01-01T00:00:00Z", type, data });

/** A stream of texts that is cut behind them if `cut`, else closed. */
export function stream(texts, { cut = false, incarnation = "one" } = {}) {
  const chunks = texts.map((text) => new TextEncoder().encode(text));
  const body = new ReadableStream({
    pull(controller) {
      const next = chunks.shift();
      if (next) controller.enqueue(next);
      else if (cut) controller.error(new TypeError("terminated"));
      else controller.close();
    },
  });
  return new Response(body, { headers: { "Arbiter-Incarnation": incarnation } });
}

export const lines = (...sent) => sent.map((one) => `${JSON.stringify(one)}\n`);

const NAMED = `${"A".repeat(43)}=`;

/** What signs notes, and its public key in the form for verifiers. */
export function signer(seed, name = "s/receipts") {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, seed)]);
  const secret = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const raw = Buffer.from(createPublicKey(secret).export({ format: "jwk" }).x, "base64url");
  const kindAndKey = Buffer.concat([Buffer.of(1), raw]);
  const id = createHash("sha256").update(`${name}\n`).update(kindAndKey).digest().subarray(0, 4);
  const line = (text) => `— ${name} ${Buffer.concat([id, sign(null, Buffer.from(text), secret)]).toString("base64")}\n`;
  return {
    key: `${name}+${id.toString("hex")}+${kindAndKey.toString("base64")}`,
    signed: (text) => `${text}\n${line(text)}`,
  };
}

/** The key of receipts that this service has now. */
export const SIGNER = signer("s");

/** The note of the creation of the match `m1`, which names a commitment. */
export const creation = (named = NAMED, { signed } = SIGNER) =>
  signed(`arbiter-creation/1\nmatch m1\ncreated ${NAMED}\nseed-committed ${named}\n`);

/** A receipt of seat 0, or of another receiver. */
export const receipt = (seq, named = NAMED, match = "m1", { signed } = SIGNER, seat = 0) => ({
  valid: true,
  code: null,
  seat: seat === "moderator" ? null : seat,
  seq,
  note: signed(`arbiter-receipt/1\nmatch ${match}\nseed-committed ${named}\nseat ${seat}\ncount ${seq}\nphase -\n`),
});

export const taken = (seq, named = NAMED) => ({ receipt: receipt(seq, named), view: { audience: "seat:0", seq } });

/** All that an iteration gives. */
export async function all(iteration) {
  const given = [];
  for await (const one of iteration) given.push(one);
  return given;
}
