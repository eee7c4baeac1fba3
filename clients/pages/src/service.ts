/** The service that this page comes from, and whether it can be reached. */
import { Arbiter, ArbiterError, ConnectionLost } from "@arbiter/client";
import { signal } from "@preact/signals";
import { root } from "./root.js";

/** Answers that the service, or somebody before it, gives while it is away. */
const AWAY = [502, 503, 504];

/** Answers after which the same can be asked again later. */
const LATER = [429, ...AWAY];

/** Whether the service cannot be reached at present: what is shown may be old. */
export const away = signal(!navigator.onLine);

addEventListener("offline", () => (away.value = true));

/** Whether something was not answered that may be answered later. */
export function isAway(error: unknown): boolean {
  return error instanceof ConnectionLost || (error instanceof ArbiterError && LATER.includes(error.status));
}

/** As everybody, or with a key. */
export function service(key?: string): Arbiter {
  return arbiter(key, withKeyInForce);
}

function arbiter(key: string | undefined, fetcher: typeof fetch): Arbiter {
  return new Arbiter({ url: location.origin + root, key, fetch: fetcher });
}

/** The renewals of this page, by the keys that they end; one that failed has the same key again. */
const renewals = new Map<string, Promise<string>>();

/** Renews a key. What is asked with it meanwhile waits for the answer, and is asked with the new one. */
export function renewKey(key: string, idempotencyKey: string): Promise<string> {
  const made = arbiter(key, watched).renewKey({ idempotencyKey });
  renewals.set(key, made.catch(() => key));
  return made;
}

async function withKeyInForce(address: RequestInfo | URL, sent?: RequestInit): Promise<Response> {
  const headers = new Headers(sent?.headers);
  const [, key = ""] = /^Bearer (.+)$/.exec(headers.get("Authorization") ?? "") ?? [];
  if (renewals.has(key)) headers.set("Authorization", `Bearer ${await keyInForce(key)}`);
  return watched(address, { ...sent, headers });
}

/** Milliseconds that a request waits: the answer of a renewal may be lost. */
const PATIENCE = 2_000;

async function keyInForce(key: string): Promise<string> {
  const next = await Promise.race([renewals.get(key), new Promise<undefined>((go) => setTimeout(go, PATIENCE))]);
  return next === undefined || next === key ? key : keyInForce(next);
}

/** Fetches, and notes whether the service can be reached. */
export async function watched(...sent: Parameters<typeof fetch>): Promise<Response> {
  try {
    const answer = await fetch(...sent);
    away.value = AWAY.includes(answer.status);
    return answer;
  } catch (error) {
    if (error instanceof TypeError) away.value = true;
    throw error;
  }
}
