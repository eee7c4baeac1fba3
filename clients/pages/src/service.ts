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
  return new Arbiter({ url: location.origin + root, key, fetch: watched });
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
