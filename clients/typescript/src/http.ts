/** Requests to the service, with the key in their headers. */
import { ConnectionLost, errorOf, foreign } from "./errors.js";
import { PATIENCE, Retries } from "./retries.js";
import type { Problem } from "./types.js";

/** The patience for what is not sent again, because it would then be refused or happen twice. */
export const ONCE = 0;

/** A request: by default a GET. Its body is sent as JSON, or as it is where the headers name a `Content-Type`. */
export interface Sent {
  method?: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** An answer that has been read. */
export interface Answer<T> {
  data: T;
  headers: Headers;
}

export class Http {
  /** `url` is the service's address, without `/v1`. Throws TypeError if it is none. */
  constructor(
    readonly url: string,
    readonly key: string | undefined,
    private readonly fetcher: typeof fetch,
  ) {
    new URL(url);
  }

  /** The same service with another key. */
  bearing(key: string): Http {
    return new Http(this.url, key, this.fetcher);
  }

  /**
   * Sends a request until it is answered, and reads the answer. What may not happen twice needs an
   * idempotency key or an `If-Match`, or no `patience`: milliseconds for which it is sent again.
   */
  async ask<T>(path: string, sent: Sent = {}, patience = PATIENCE): Promise<Answer<T>> {
    const retries = new Retries(sent.signal, patience);
    for (;;) {
      try {
        const answer = await this.open(path, sent);
        const text = await orLost(answer.text(), sent.signal);
        return { data: (text === "" ? undefined : JSON.parse(text)) as T, headers: answer.headers };
      } catch (error) {
        await retries.after(error);
      }
    }
  }

  /** Sends a request once; the body of the answer has not been read. Throws ArbiterError or ConnectionLost. */
  async open(path: string, { method = "GET", body, headers = {}, signal }: Sent = {}): Promise<Response> {
    const own: Record<string, string> = this.key === undefined ? {} : { Authorization: `Bearer ${this.key}` };
    const json: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    const csv = headers["Content-Type"] !== undefined;
    const answer = await orLost(
      this.fetcher(`${this.url}/v1${path}`, {
        method,
        headers: { ...own, ...json, ...headers },
        body: body === undefined ? null : csv ? String(body) : JSON.stringify(body),
        signal: signal ?? null,
      }),
      signal,
    );
    if (!answer.ok) throw await failure(answer, signal);
    return answer;
  }
}

/** What a promise of `fetch` gives. Throws ConnectionLost if the network fails. */
export async function orLost<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (!signal?.aborted && error instanceof TypeError) {
      throw new ConnectionLost("The connection was lost", { cause: error });
    }
    throw error;
  }
}

/** A query with those of the parameters that have a value. */
export function query(parameters: Record<string, string | number | boolean | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** A new idempotency key. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function failure(answer: Response, signal: AbortSignal | undefined): Promise<Error> {
  const text = await orLost(answer.text(), signal);
  const retryAfter = Number(answer.headers.get("Retry-After")) || null;
  // The answer to a HEAD has no document.
  if (text === "" || !answer.headers.get("Content-Type")?.startsWith("application/problem+json")) {
    return foreign(answer.status, retryAfter);
  }
  return errorOf({ retry_after: retryAfter, ...(JSON.parse(text) as Problem) });
}
