/** Reads a tournament anew whenever something has happened in it in public, by its stream, and now and then besides. */
import { HistoryWentBack, type Line } from "@arbiter/client";
import { regularly } from "../regularly.js";
import { isAway, service } from "../service.js";

/** Milliseconds between two looks: what only staff see, as a ruling that waits, has no stream. */
const PERIOD = 15_000;

/** Milliseconds in which everything that happens is read at once. */
const PACE = 1_000;

/**
 * Calls `read` now and after everything public that happens behind the event `seq`, and `note` with each event. Of a tab that nobody sees
 * nothing is read, and no stream is open.
 */
export function live(tournament: string, seq: number, read: () => Promise<void>, note?: (line: Line) => void): void {
  const reader = new Reader(tournament, seq, read, note);
  document.addEventListener("visibilitychange", () => reader.seen());
  addEventListener("online", () => reader.note());
  void regularly(PERIOD, new AbortController().signal, () => reader.now());
  reader.seen();
}

class Reader {
  #leaving = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What is being read, until it is read. */
  #reading: Promise<void> | null = null;

  constructor(
    readonly tournament: string,
    private seq: number,
    private readonly read: () => Promise<void>,
    private readonly noteLine?: (line: Line) => void,
  ) {}

  /** The tab is seen, or not any more. */
  seen(): void {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    if (!document.hidden) void this.#follow(this.#leaving.signal);
  }

  /** Something has happened. */
  note(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.now().catch((error: unknown) => {
        if (!isAway(error)) reportError(error);
      });
    }, PACE);
  }

  /** Reads once at a time; what happens meanwhile is read behind it. */
  async now(): Promise<void> {
    if (this.#reading !== null) {
      this.note();
      return this.#reading;
    }
    this.#reading = this.read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const onGrown = (): void => this.note();
    try {
      for await (const line of service().tournament(this.tournament).follow({ after: this.seq, onGrown, signal })) {
        this.seq = line.seq;
        this.noteLine?.(line);
        this.note();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HistoryWentBack)) throw error;
      location.reload();
    }
  }
}
