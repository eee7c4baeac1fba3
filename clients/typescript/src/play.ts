/** A seat that acts and follows at once: over a WebSocket, or where there is none over a stream. */
import { ConnectionLost, errorOf, historyWentBack } from "./errors.js";
import type { History } from "./history.js";
import { newKey } from "./http.js";
import type { ActOptions, Match } from "./match.js";
import { Queue } from "./queue.js";
import { PATIENCE, Retries } from "./retries.js";
import { session, type Closed } from "./session.js";
import type { Action, Line, Problem, Taken, View } from "./types.js";

/** How many handshakes in a row may fail before the seat goes on without a WebSocket. */
const HANDSHAKES = 3;

/** Characters of an action that surely fit into a frame of 64 KiB. */
const FRAME = 16_000;

const HISTORY_WENT_BACK = 4409;

export interface PlayOptions {
  /** Lines begin behind this number, or behind a view; by default with the first event. */
  after?: number | View;
  signal?: AbortSignal | undefined;
}

interface Pending {
  frame: string;
  /** Sends it as a request. */
  post(): Promise<Taken>;
  retries: Retries;
  resolve(taken: Taken | Promise<Taken>): void;
  reject(error: unknown): void;
}

/**
 * The seat's events as an async iterable, each once, to the end of the match; and `act`. Both survive
 * a cut connection: it is opened again behind the last event, and what was not answered is sent again
 * with the same idempotency key. Call `close`, or abort the signal, to leave before the end.
 */
export class Play implements AsyncIterable<Line> {
  readonly #match: Match;
  readonly #signal: AbortSignal;
  readonly #leaving = new AbortController();
  readonly #lines = new Queue<Line>();
  readonly #pending = new Map<string, Pending>();
  readonly #history: History;
  #seq: number;
  /** Sends a frame, while the WebSocket is open. */
  #send: ((frame: string) => void) | undefined;
  #overSocket = typeof WebSocket === "function";

  constructor(match: Match, { after = 0, signal }: PlayOptions = {}) {
    this.#match = match;
    const begun = match.begun(after);
    this.#seq = begun.after;
    this.#history = begun.history;
    const left = this.#leaving.signal;
    this.#signal = signal ? AbortSignal.any([signal, left]) : left;
    void this.#run();
  }

  [Symbol.asyncIterator](): AsyncIterator<Line, void> {
    return this.#lines[Symbol.asyncIterator]();
  }

  /** As `act` of the match, over the connection that is open. */
  act(action: Action, { ifMatch, idempotencyKey = newKey() }: Omit<ActOptions, "signal"> = {}): Promise<Taken> {
    const seen = ifMatch === undefined ? undefined : this.#match.tagOf(ifMatch);
    const frame = JSON.stringify({ id: idempotencyKey, action, if_match: seen });
    const post = () => this.#match.act(action, { ifMatch, idempotencyKey, signal: this.#signal });
    if (!this.#overSocket || frame.length > FRAME) return post();
    return new Promise((resolve, reject) => {
      const retries = new Retries(this.#signal, PATIENCE);
      this.#pending.set(idempotencyKey, { frame, post, retries, resolve, reject });
      this.#send?.(frame);
    });
  }

  /** Leaves the match; actions that have not been answered fail, and may have been recorded. */
  close(): void {
    this.#leaving.abort();
  }

  async #run(): Promise<void> {
    try {
      const over = this.#overSocket && (await this.#playOverSockets());
      this.#postPending();
      if (!over) await this.#followStream();
      this.#lines.end();
    } catch (error) {
      this.#lines.end(this.#leaving.signal.aborted ? undefined : error);
      this.#overSocket = false;
      for (const id of this.#pending.keys()) this.#forget(id, error);
    }
  }

  /** Returns true at the end of the match, false where no WebSocket can be opened. */
  async #playOverSockets(): Promise<boolean> {
    const retries = new Retries(this.#signal);
    let failed = 0;
    while (failed < HANDSHAKES) {
      try {
        const { opened, over, code } = await this.#oneSocket();
        if (over) return true;
        if (code === HISTORY_WENT_BACK) throw historyWentBack();
        failed = opened ? 0 : failed + 1;
        if (opened) retries.succeeded();
        throw new ConnectionLost(`The WebSocket was closed: ${code}`);
      } catch (error) {
        await retries.after(error);
      }
    }
    return false;
  }

  async #oneSocket(): Promise<Closed> {
    await this.#match.checkHistory(this.#history, this.#signal);
    const { ticket } = await this.#match.ticket({ for: "play", signal: this.#signal });
    try {
      return await session(this.#match.socketUrl(this.#seq, ticket), {
        signal: this.#signal,
        waiting: () => this.#pending.size > 0,
        opened: (send) => {
          this.#send = send;
          for (const { frame } of this.#pending.values()) send(frame);
        },
        line: (line) => this.#receive(line),
        answer: (id, status, body) => this.#settle(id, status, body),
      });
    } finally {
      this.#send = undefined;
    }
  }

  #receive(line: Line): void {
    if (line.seq <= this.#seq) return;
    this.#seq = line.seq;
    this.#lines.push(line);
  }

  #settle(id: string, status: number, body: Taken | Problem): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (status === 200 || status === 201) {
      this.#pending.delete(id);
      pending.resolve(this.#match.took(body as Taken));
    } else {
      void this.#repeat(id, pending, body as Problem);
    }
  }

  /** Sends an action again when the service is less busy; any other problem is its answer. */
  async #repeat(id: string, pending: Pending, problem: Problem): Promise<void> {
    try {
      await pending.retries.after(errorOf(problem));
      this.#send?.(pending.frame);
    } catch (error) {
      this.#forget(id, this.#match.refused(error));
    }
  }

  /** The caller of `act` gets an error. */
  #forget(id: string, error: unknown): void {
    this.#pending.get(id)?.reject(error);
    this.#pending.delete(id);
  }

  /** From now on over HTTP, with the same idempotency keys. */
  #postPending(): void {
    this.#overSocket = false;
    for (const { post, resolve } of this.#pending.values()) resolve(post());
    this.#pending.clear();
  }

  async #followStream(): Promise<void> {
    for await (const line of this.#match.follow({ after: this.#seq, signal: this.#signal })) this.#receive(line);
  }
}
