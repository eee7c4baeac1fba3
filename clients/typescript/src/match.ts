/** A match, as one key sees it. */
import { bot, type BotOptions, type Choose } from "./bot.js";
import { Commitments } from "./commitments.js";
import { ArbiterError, HistoryWentBack } from "./errors.js";
import { follow, type FollowOptions } from "./follow.js";
import { History, incarnationOf } from "./history.js";
import { newKey, ONCE, orLost, query, type Answer, type Http, type Sent } from "./http.js";
import { Play, type Begun, type PlayOptions } from "./play.js";
import type {
  ActOptions, Action, Audience, IfMatch, Line, Menu, Options, Ordered, Receipt, Result, Schemas, Taken, View,
} from "./types.js";

export interface ViewOptions extends Options {
  /** After so many of the audience's events; by default as it is now. */
  at?: number;
  /** As which audience; by default the key's own. */
  as?: Audience;
}

export interface EventsOptions extends Options {
  after?: number;
  limit?: number;
  as?: Audience;
}

export interface TicketOptions extends Options {
  as?: Audience;
}

export class Match {
  /** What the service has signed for what was sent from here, refused ones included. */
  readonly receipts: Receipt[] = [];

  readonly #http: Http;
  readonly #path: string;
  readonly #commitments: Commitments;
  /** The headers with which views came. */
  readonly #came = new WeakMap<View, Headers>();

  constructor(
    http: Http,
    readonly id: string,
  ) {
    this.#http = http;
    this.#path = `/matches/${encodeURIComponent(id)}`;
    this.#commitments = new Commitments(http, this.#path, id);
  }

  /** What everybody may know: title, seats, options, status, result. */
  async info({ signal }: Options = {}): Promise<Schemas["ShownMatch"]> {
    return (await this.#http.ask<Schemas["ShownMatch"]>(this.#path, { signal })).data;
  }

  /** What an audience knows. */
  async view({ at, as, signal }: ViewOptions = {}): Promise<View> {
    const { data, headers } = await this.#http.ask<View>(`${this.#path}/view${query({ at, as })}`, { signal });
    this.#came.set(data, headers);
    return data;
  }

  /** The headers with which a view came, such as `Date`: the service's clock. */
  headers(view: View): Headers | undefined {
    return this.#came.get(view);
  }

  /** What the seat may do now. */
  async menu({ signal }: Options = {}): Promise<Menu> {
    return (await this.#http.ask<Menu>(`${this.#path}/actions`, { signal })).data;
  }

  /**
   * Sends an action, again with the same idempotency key if the connection is lost or the service is
   * busy. Throws ArbiterError if it is refused. In a sealed phase look at `receipt.valid`. Throws
   * WrongCommitment if the receipt does not name the commitment to the seed that was shown, and
   * WrongSignature if none of the service's keys has signed it.
   */
  async act(action: Action, { ifMatch, idempotencyKey = newKey(), signal }: ActOptions = {}): Promise<Taken> {
    const seen = ifMatch === undefined ? {} : { "If-Match": this.tagOf(ifMatch) };
    const headers = { "Idempotency-Key": idempotencyKey, ...seen };
    await this.#commitments.know(signal);
    try {
      const answer = await this.#post<Taken>("/actions", { body: action, headers, signal });
      this.#came.set(answer.data.view, answer.headers);
      await this.#keep(answer.data.receipt, signal);
      return answer.data;
    } catch (error) {
      if (error instanceof ArbiterError && error.problem.receipt) await this.#keep(error.problem.receipt as Receipt, signal);
      throw error;
    }
  }

  /** Every event of the audience, once, as it happens, to the end of the match; resumes after every cut. */
  follow({ after = 0, ...how }: FollowOptions = {}): AsyncGenerator<Line, void> {
    return this.behind(this.begun(after), how);
  }

  /** The seat's events and actions. */
  play(options: PlayOptions = {}): Play {
    return new Play(this, options);
  }

  /**
   * Plays the seat to the end of the match and returns the result; null if the match is void. `choose`
   * is given the menu and the view, and returns an action, or a promise of one.
   */
  bot(choose: Choose, options: BotOptions = {}): Promise<Result | null> {
    return bot(this, choose, options);
  }

  /** A page of past events. */
  async events({ after, limit, as, signal }: EventsOptions = {}): Promise<Schemas["EventPage"]> {
    const path = `${this.#path}/events${query({ after, limit, as })}`;
    return (await this.#http.ask<Schemas["EventPage"]>(path, { signal })).data;
  }

  /** A bundle (`.arb`) for a verifier: all that proves the match, as far as the audience may read it. */
  async bundle({ as, signal }: Pick<EventsOptions, "as" | "signal"> = {}): Promise<Uint8Array> {
    const answer = await this.#http.open(`${this.#path}/bundle${query({ as })}`, { signal });
    return new Uint8Array(await orLost(answer.arrayBuffer(), signal));
  }

  /** A ticket in place of the key, for what cannot send one: an `EventSource`. */
  async ticket({ as, signal }: TicketOptions = {}): Promise<Schemas["GivenTicket"]> {
    const body = as === undefined ? {} : { as };
    return (await this.#post<Schemas["GivenTicket"]>("/stream-tickets", { body, signal })).data;
  }

  /** Organiser: a link by which somebody gets a key to a seat, by default within a week. */
  async invite(
    seat: number,
    { expiresIn, signal }: Options & { expiresIn?: number } = {},
  ): Promise<Schemas["MadeInvitation"]> {
    const body = { seat, ...(expiresIn === undefined ? {} : { expires_in: expiresIn }) };
    const sent = { body, headers: { "Idempotency-Key": newKey() }, signal };
    return (await this.#post<Schemas["MadeInvitation"]>("/invitations", sent)).data;
  }

  /**
   * A seat adds to the chance of the match, before its start; its last seed counts. The commitment to the
   * service's own seed is read before; throws WrongCommitment if the receipt does not name it.
   */
  async seed(text: string, { signal }: Options = {}): Promise<Taken> {
    await this.#commitments.know(signal);
    await this.#commitments.read(signal);
    const { data } = await this.#post<Taken>("/client-seeds", { body: { seed: text }, signal });
    await this.#keep(data.receipt, signal);
    return data;
  }

  /**
   * A seat asks for a `result`, a `pause`, a `resume` or a `void`: it is pending until all other seats consent and a
   * moderator seconds it, if the match has one.
   */
  async ask(
    ruling: Schemas["NewRuling"],
    { idempotencyKey = newKey(), signal }: Omit<ActOptions, "ifMatch"> = {},
  ): Promise<Schemas["RulingAnswer"]> {
    const body = { ...ruling, ask_seats: true };
    const previewed = await this.#post("/rulings", { body: { ...body, preview: true }, signal });
    const headers = { "Idempotency-Key": idempotencyKey, "If-Match": previewed.headers.get("ETag") ?? "" };
    return (await this.#post<Schemas["RulingAnswer"]>("/rulings", { body, headers, signal })).data;
  }

  /** A seat consents to a pending ruling about which it was asked. */
  async consent(ruling: string, { signal }: Options = {}): Promise<Schemas["RulingAnswer"]> {
    const sent = { headers: { "Idempotency-Key": `consent-${ruling}` }, signal };
    return (await this.#post<Schemas["RulingAnswer"]>(`/rulings/${encodeURIComponent(ruling)}/consent`, sent)).data;
  }

  /** Gives up a pending ruling: a seat what it asks for. */
  async withdraw(ruling: string, { signal }: Options = {}): Promise<void> {
    await this.#http.ask(`${this.#path}/rulings/${encodeURIComponent(ruling)}`, { method: "DELETE", signal });
  }

  /** The signed note of the creation, which names the first commitment to the seed. Anybody may have it. */
  note({ signal }: Options = {}): Promise<string> {
    return this.#commitments.know(signal);
  }

  /** Whether signatures could not be checked, since the platform has no Ed25519 here. */
  get unchecked(): boolean {
    return this.#commitments.unchecked;
  }

  /**
   * Checks a receipt for what a moderator or an organiser has ordered, such as the `note` of a ruling. Throws
   * WrongSignature if it is not signed, or is of no order of this match.
   */
  checkOrder(receipt: Ordered, { signal }: Options = {}): Promise<void> {
    return this.#commitments.checkOrder(receipt, signal);
  }

  /** Organiser or moderator: the match begins. */
  start({ signal }: Options = {}): Promise<Taken> {
    return this.#order("/start", { signal }, ONCE);
  }

  /** Moderator: ends the phase that was seen, and no other one: then it is 412 `stale`. */
  closePhase(seen: IfMatch, { signal }: Options = {}): Promise<Taken> {
    return this.#order("/close-phase", { headers: { "If-Match": this.tagOf(seen) }, signal });
  }

  /** Moderator: what coins, dice or cards have shown at a real table. */
  draw(id: string, outcome: Schemas["EnteredDraw"]["outcome"], { signal }: Options = {}): Promise<Taken> {
    return this.#order("/draws", { body: { id, outcome }, signal }, ONCE);
  }

  /** Takes the seat of an invitation by its token, which stands behind the `#` of its link. */
  async acceptInvitation(
    token: string,
    { idempotencyKey = newKey(), name, signal }: Omit<ActOptions, "ifMatch"> & { name?: string } = {},
  ): Promise<Schemas["AcceptedInvitation"]> {
    const headers = { "Idempotency-Key": idempotencyKey };
    const sent = { body: name === undefined ? { token } : { token, name }, headers, signal };
    return (await this.#post<Schemas["AcceptedInvitation"]>("/invitations/accept", sent)).data;
  }

  /** @internal What `If-Match` says of a view. */
  tagOf(seen: IfMatch): string {
    if (typeof seen === "string") return seen;
    return this.#came.get(seen)?.get("ETag") ?? `"${seen.audience}.${seen.seq}"`;
  }

  /** @internal Behind which number, and in which history. */
  begun(after: number | View): Begun {
    if (typeof after === "number") return { after, history: new History() };
    const headers = this.#came.get(after);
    return { after: after.seq, history: new History(headers && incarnationOf(headers)) };
  }

  /** @internal The events behind it. */
  async *behind(begun: Begun, { as, onConnection, signal }: FollowOptions): AsyncGenerator<Line, void> {
    try {
      for await (const line of follow({ http: this.#http, path: this.#path, ...begun, as, onConnection, signal })) {
        if (as === undefined) this.#commitments.show(line);
        yield line;
      }
    } catch (error) {
      if (error instanceof HistoryWentBack) this.#commitments.forget();
      throw error;
    }
  }

  /** Keeps a receipt of the seat, and checks it. */
  #keep(receipt: Receipt, signal: AbortSignal | undefined): Promise<void> {
    this.receipts.push(receipt);
    return this.#commitments.check(receipt, signal);
  }

  /** What is answered to an order, once its receipt has been kept and checked: there is none for what was so already. */
  async #order(path: string, sent: Sent, patience?: number): Promise<Taken> {
    const check = async (receipt: Receipt | null | undefined) => {
      if (receipt == null || receipt.note === null) return;
      this.receipts.push(receipt);
      await this.checkOrder(receipt, { signal: sent.signal });
    };
    try {
      const { data } = await this.#post<Taken>(path, sent, patience);
      await check(data.receipt);
      return data;
    } catch (error) {
      if (error instanceof ArbiterError) await check(error.problem.receipt as Receipt | undefined);
      throw error;
    }
  }

  #post<T>(path: string, sent: Sent, patience?: number): Promise<Answer<T>> {
    return this.#http.ask<T>(this.#path + path, { ...sent, method: "POST" }, patience);
  }
}
