/** A service. */
import { Http, newKey, ONCE, query, type Answer, type Sent } from "./http.js";
import { Match } from "./match.js";
import { Tournament } from "./tournament.js";
import type { Options, Schemas } from "./types.js";

export interface ArbiterOptions {
  /** The service's address, such as `https://arbiter.example.org`, with `/v1` or without it. */
  url: string;
  /** An organiser's, moderator's or seat's key; what is public needs none. */
  key?: string | undefined;
  /** By default the platform's. */
  fetch?: typeof fetch;
}

export interface ListOptions extends Options {
  game?: string;
  status?: string;
  tournament?: string;
  /** Who has a seat. */
  player?: string;
  moderator?: string;
  /** Created at this instant or later. */
  since?: string;
  until?: string;
}

export class Arbiter {
  #http: Http;

  /** Throws TypeError if `url` is no address. */
  constructor({ url, key, fetch: fetcher = (...request) => fetch(...request) }: ArbiterOptions) {
    this.#http = new Http(url.replace(/(\/v1)?\/*$/, ""), key, fetcher);
  }

  async games({ signal }: Options = {}): Promise<Schemas["GameSummary"][]> {
    return (await this.#http.ask<Schemas["GameList"]>("/games", { signal })).data.games;
  }

  /** A game's rules, codes, and the JSON Schemas of its options, actions, views and events. */
  async game(id: string, { signal }: Options = {}): Promise<Schemas["GameAnswer"]> {
    return (await this.#http.ask<Schemas["GameAnswer"]>(`/games/${encodeURIComponent(id)}`, { signal })).data;
  }

  /** The public list of matches, newest first. */
  async *matches({ signal, ...wanted }: ListOptions = {}): AsyncGenerator<Schemas["MatchRow"], void> {
    let after: string | undefined;
    do {
      const path = `/matches${query({ ...wanted, after })}`;
      const { data } = await this.#http.ask<Schemas["MatchPage"]>(path, { signal });
      yield* data.matches;
      after = data.next ?? undefined;
    } while (after !== undefined);
  }

  /**
   * Creates a match (organiser). Its keys are shown once: where the answer was lost and the request
   * repeated they are null.
   */
  async createMatch(
    match: Schemas["NewMatch"],
    { idempotencyKey = newKey(), signal }: Options & { idempotencyKey?: string } = {},
  ): Promise<Schemas["CreatedMatch"]> {
    const headers = { "Idempotency-Key": idempotencyKey };
    const sent: Sent = { method: "POST", body: match, headers, signal };
    return (await this.#http.ask<Schemas["CreatedMatch"]>("/matches", sent)).data;
  }

  /**
   * Any other endpoint of the description, by its path below `/v1`. It is sent until it is answered only
   * if it may happen twice: a GET, or with an idempotency key or an `If-Match`.
   */
  async request<T>(path: string, sent: Sent = {}): Promise<Answer<T>> {
    const { method = "GET", headers = {} } = sent;
    const harmless = method !== "POST" || "Idempotency-Key" in headers || "If-Match" in headers;
    return this.#http.ask<T>(path, sent, harmless ? undefined : ONCE);
  }

  /** Every page of a list, by its path below `/v1`: as `request`, until a page has no `next`. */
  async pages<T extends { next: number | string | null }>(path: string, sent: Sent = {}): Promise<T[]> {
    const found: T[] = [];
    let rest = path;
    for (;;) {
      const { data } = await this.request<T>(rest, sent);
      found.push(data);
      if (data.next === null) return found;
      rest = `${path}${path.includes("?") ? "&" : "?"}after=${data.next}`;
    }
  }

  /**
   * Makes the key its holder's: it ends, and the answer is the new one, which nobody else has: keep it. This
   * object sends it from now on; a match made before does not. Whoever may have lost the answer sends the
   * same idempotency key within ten minutes.
   */
  async renewKey({ idempotencyKey = newKey(), signal }: Options & { idempotencyKey?: string } = {}): Promise<string> {
    const sent: Sent = { method: "POST", headers: { "Idempotency-Key": idempotencyKey }, signal };
    const { key } = (await this.#http.ask<Schemas["RenewedKey"]>("/keys/renew", sent)).data;
    this.#http = this.#http.bearing(key);
    return key;
  }

  /** A match, with its own key if one is given. Asks nothing of the service. */
  match(id: string, key?: string | null): Match {
    return new Match(key == null ? this.#http : this.#http.bearing(key), id);
  }

  /** A tournament, with its own key if one is given. Asks nothing of the service. */
  tournament(id: string, key?: string | null): Tournament {
    return new Tournament(key == null ? this.#http : this.#http.bearing(key), id);
  }

  /** Creates a tournament (organiser). Its keys are shown once. */
  async createTournament(
    tournament: Schemas["NewTournament"],
    { idempotencyKey = newKey(), signal }: Options & { idempotencyKey?: string } = {},
  ): Promise<Schemas["CreatedTournament"]> {
    const headers = { "Idempotency-Key": idempotencyKey };
    const sent: Sent = { method: "POST", body: tournament, headers, signal };
    return (await this.#http.ask<Schemas["CreatedTournament"]>("/tournaments", sent)).data;
  }

  /** Takes the seat of an invitation by its link; the answer has the seat's key, which nobody else gets. */
  async acceptInvitation(link: string, options: Options = {}): Promise<Schemas["AcceptedInvitation"]> {
    const { pathname, hash } = new URL(link);
    const id = decodeURIComponent(pathname.split("/").filter(Boolean).at(-1) ?? "");
    return this.match(id).acceptInvitation(decodeURIComponent(hash.slice(1)), options);
  }
}
