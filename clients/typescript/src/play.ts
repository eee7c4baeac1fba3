/** A seat that follows, by a stream, and acts, by requests. */
import type { FollowOptions } from "./follow.js";
import type { History } from "./history.js";
import type { ActOptions, Action, Line, Taken, View } from "./types.js";

export interface PlayOptions {
  /** Lines begin behind this number, or behind a view; by default with the first event. */
  after?: number | View;
  signal?: AbortSignal | undefined;
}

/** Behind which number, and in which history. */
export interface Begun {
  after: number;
  history: History;
}

/** The match of a seat, as far as it is followed and acted in. */
interface Seat {
  begun(after: number | View): Begun;
  behind(begun: Begun, options: FollowOptions): AsyncGenerator<Line, void>;
  act(action: Action, options: ActOptions): Promise<Taken>;
}

/**
 * The seat's events as an async iterable, each once, to the end of the match; and `act`. Both survive
 * a cut connection. Call `close`, or abort the signal, to leave before the end.
 */
export class Play implements AsyncIterable<Line> {
  readonly #match: Seat;
  readonly #signal: AbortSignal;
  readonly #leaving = new AbortController();
  readonly #begun: Begun;

  constructor(match: Seat, { after = 0, signal }: PlayOptions = {}) {
    this.#match = match;
    this.#begun = match.begun(after);
    const left = this.#leaving.signal;
    this.#signal = signal ? AbortSignal.any([signal, left]) : left;
  }

  /** Goes on behind the last event that was given. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Line, void> {
    try {
      for await (const line of this.#match.behind(this.#begun, { signal: this.#signal })) {
        this.#begun.after = line.seq;
        yield line;
      }
    } catch (error) {
      if (!this.#leaving.signal.aborted) throw error;
    }
  }

  /** As `act` of the match. */
  act(action: Action, options: Omit<ActOptions, "signal"> = {}): Promise<Taken> {
    return this.#match.act(action, { ...options, signal: this.#signal });
  }

  /** Leaves the match; actions that have not been answered fail, and may have been recorded. */
  close(): void {
    this.#leaving.abort();
  }
}
