/** What one audience has read of a match: its views by position, and its events in order. */
import type { Audience, Line, Match, View } from "@arbiter/client";
import { signal } from "@preact/signals";
import { noteClock } from "../clock.js";
import { micros } from "../instants.js";
import { cited } from "../numbers.js";

/** How many views are kept. */
const VIEWS = 200;

/** How many events are read at once. */
const PAGE = 500;

export class Reading {
  /** How many events the audience has, as far as is known. */
  readonly last = signal(0);
  /** The newest view that has been read. */
  readonly newest = signal<View | null>(null);
  /** Whether the stream is open, or was cut and is being opened again. */
  readonly connected = signal(true);
  /** The events that have been read, by their numbers less one; there may be gaps. */
  readonly #lines: (Line | undefined)[] = [];
  readonly #added = signal(0);
  /** Behind which number earlier events have to be read; null if all have been. */
  #next: number | null = 0;
  readonly #views = new Map<number, Promise<View>>();

  constructor(
    private readonly match: Match,
    readonly audience: Audience,
  ) {}

  /** Reads how it stands. Throws ArbiterError if this audience may not be read. */
  async begin(signal: AbortSignal): Promise<void> {
    const view = await this.match.view({ as: this.audience, signal });
    this.#views.set(view.seq, Promise.resolve(view));
    this.#know(view);
  }

  /** Reads the events until then, from where it was left. */
  async readLines(signal: AbortSignal): Promise<void> {
    while (this.#next !== null) {
      const page = await this.match.events({ as: this.audience, after: this.#next, limit: PAGE, signal });
      this.#add(page.events);
      this.#next = page.next;
    }
  }

  /** Reads what happens from the newest view on, until the match is over. */
  async follow(signal: AbortSignal): Promise<void> {
    const onConnection = (open: boolean) => {
      this.connected.value = open;
    };
    const after = this.newest.peek() ?? 0;
    for await (const line of this.match.follow({ after, as: this.audience, onConnection, signal })) {
      this.#add([line]);
    }
  }

  /** The view after so many events; it is read once. */
  at(seq: number): Promise<View> {
    const view = this.#views.get(seq) ?? this.#read(seq);
    this.#views.delete(seq);
    this.#views.set(seq, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > VIEWS && oldest !== undefined) this.#views.delete(oldest);
    return view;
  }

  /** Reads a view before it is wanted. A failure is told when it is wanted, and read again. */
  async readAhead(seq: number): Promise<void> {
    await Promise.allSettled([this.at(seq)]);
  }

  /** The event of this number, if it has been read. */
  line(seq: number): Line | undefined {
    return this.#added.value > 0 ? this.#lines[seq - 1] : undefined;
  }

  /** The numbers of an event: the public's first, for an audience that counts otherwise. */
  cited(seq: number): string {
    const line = this.line(seq);
    return line === undefined ? String(seq) : cited(line, this.audience === "public");
  }

  /** The events until a position, if all of them have been read. */
  until(seq: number): Line[] | undefined {
    const lines = this.lines().filter((line) => line.seq <= seq);
    return lines.length === seq ? lines : undefined;
  }

  /** All events that have been read. */
  lines(): Line[] {
    return this.#added.value > 0 ? this.#lines.filter((line) => line !== undefined) : [];
  }

  /** The number of the last event until an instant. */
  lastAt(instant: string): number {
    const until = micros(instant);
    return this.lines().reduce((seq, line) => (micros(line.at) <= until ? Math.max(seq, line.seq) : seq), 1);
  }

  async #read(seq: number): Promise<View> {
    try {
      const view = await this.match.view({ as: this.audience, at: seq });
      this.#know(view);
      return view;
    } catch (error) {
      this.#views.delete(seq);
      throw error;
    }
  }

  #know(view: View): void {
    noteClock(this.match.headers(view));
    this.last.value = Math.max(this.last.peek(), view.seq);
    if (view.seq > (this.newest.peek()?.seq ?? -1)) this.newest.value = view;
  }

  #add(lines: readonly Line[]): void {
    for (const line of lines) this.#lines[line.seq - 1] = line;
    this.#added.value += 1;
    this.last.value = Math.max(this.last.peek(), lines.at(-1)?.seq ?? 0);
  }
}
