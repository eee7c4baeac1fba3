/** Reads a tournament anew whenever something has happened in it in public, by its stream, and now and then besides. */
import { HistoryWentBack, type Line } from "@arbiter/client";
import { regularly } from "../regularly.js";
import { isAway, service } from "../service.js";

/** Milliseconds between two looks: what only staff see, as a ruling that waits, has no stream. */
const PERIOD = 15_000;

/** Milliseconds in which everything that happens is read at once. */
const PACE = 1_000;

/** Milliseconds after which it is read that a match has grown which is one of many. */
const SLOW_PACE = 10_000;

export interface Followed {
  /** Of the tournament. */
  id: string;
  /** The number of the public event behind which it is followed. */
  seq: number;
  read(): Promise<void>;
  /** Is told of each event. */
  note?(line: Line): void;
  /** Whether a match is one whose moves are to be seen soon; of a large event hardly any is. */
  isNear?(match: string): boolean;
}

/**
 * Reads now and after everything public that happens. Of a tab that nobody sees nothing is read, and no
 * stream is open.
 */
export function live(followed: Followed): void {
  const reader = new Reader(followed);
  document.addEventListener("visibilitychange", () => reader.seen());
  addEventListener("online", () => reader.note());
  void regularly(PERIOD, new AbortController().signal, () => reader.now());
  reader.seen();
}

class Reader {
  #leaving = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer goes off. */
  #due = Infinity;
  #seq: number;
  /** What is being read, until it is read. */
  #reading: Promise<void> | null = null;

  constructor(private readonly followed: Followed) {
    this.#seq = followed.seq;
  }

  /** The tab is seen, or not any more. */
  seen(): void {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    if (!document.hidden) void this.#follow(this.#leaving.signal);
  }

  /** Something has happened, which is to be read within so many milliseconds. */
  note(within = PACE): void {
    const due = performance.now() + within;
    if (due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Infinity;
      void this.now().catch((error: unknown) => {
        if (!isAway(error)) reportError(error);
      });
    }, within);
  }

  /** Reads once at a time; what happens meanwhile is read behind it. */
  async now(): Promise<void> {
    if (this.#reading !== null) {
      this.note();
      return this.#reading;
    }
    this.#reading = this.followed.read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { id, note, isNear = () => true } = this.followed;
    const onGrown = ({ match }: { match: string }): void => this.note(isNear(match) ? PACE : SLOW_PACE);
    try {
      for await (const line of service().tournament(id).follow({ after: this.#seq, onGrown, signal })) {
        this.#seq = line.seq;
        note?.(line);
        this.note();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HistoryWentBack)) throw error;
      location.reload();
    }
  }
}
