/** A seat at its match: what it sees, what it may do and what it has done, as it happens. */
import { signal } from "@preact/signals";
import { Arbiter, ArbiterError, HistoryWentBack, type Match, type Menu, type Play, type Schemas, type View } from "@arbiter/client";
import { noteClock } from "../clock.js";
import { away, isAway, watched } from "../service.js";
import { after, BEGINNING } from "./doings.js";
import type { Kept } from "./kept.js";
import { root } from "../root.js";

/** What the seat sees and may do at one moment. */
export interface Look {
  view: View;
  /** The view before, if there was one. */
  before: View | null;
  menu: Menu;
  /** Says of a request that it is meant for this moment: the `ETag` of the view. */
  tag: string;
}

/** Milliseconds before it is read again when the client has given up for now. */
const AGAIN = 5_000;

export class Seated {
  readonly look = signal<Look | null>(null);
  readonly course = signal(BEGINNING);
  readonly away = away;
  /** Whether this browser cannot check what is signed. */
  readonly unchecked = signal(false);
  readonly arbiter: Arbiter;
  readonly match: Match;
  /** By what it is followed. */
  #play: Play | undefined;
  #reading: Promise<void> | undefined;
  #due = false;
  /** Why the match cannot be read any more. */
  #failure: unknown;

  constructor(
    readonly kept: Kept,
    readonly info: Schemas["ShownMatch"],
    readonly game: Schemas["GameAnswer"],
  ) {
    this.arbiter = new Arbiter({ url: location.origin + root, key: kept.key, fetch: fetched });
    this.match = this.arbiter.match(info.id);
    addEventListener("online", () => void this.refresh());
  }

  /** Follows the match to its end. Throws ArbiterError, as when the key does not count any more. */
  async follow(): Promise<void> {
    await this.refresh();
    if (this.#failure === undefined) await this.#followLines();
    await this.refresh();
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #followLines(): Promise<void> {
    this.#play = this.match.play();
    try {
      for await (const line of this.#play) {
        this.course.value = after(this.course.peek(), line);
        if (line.seq > (this.look.peek()?.view.seq ?? 0)) await this.refresh();
      }
    } catch (error) {
      // It may have come without a reason; what is read next says the reason.
      if (error instanceof HistoryWentBack) throw error;
      if (!(error instanceof ArbiterError)) this.kept.contradict(error);
    } finally {
      this.#play.close();
      this.#play = undefined;
    }
  }

  /** Reads what is to be seen and done now; what comes meanwhile is read in one go afterwards. */
  refresh(): Promise<void> {
    this.#due = true;
    this.#reading ??= this.#readWhileDue().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readWhileDue(): Promise<void> {
    while (this.#due) {
      this.#due = false;
      try {
        await this.#read();
      } catch (error) {
        if (!isAway(error)) return this.#fail(error);
        this.away.value = true;
        this.#due = true;
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    }
  }

  /** Nothing more can be read: whoever follows is told. */
  #fail(error: unknown): void {
    this.#failure = error;
    this.#play?.close();
  }

  async #read(): Promise<void> {
    await this.match.note().catch((error) => this.kept.contradict(error));
    this.unchecked.value = this.match.unchecked;
    const { data: view, headers } = await this.arbiter.request<View>(`/matches/${this.info.id}/view`);
    // Behind the view: what is sent by a menu that is newer is refused as stale, and never the other way round.
    const menu = await this.match.menu();
    const last = this.look.peek();
    if (last !== null && last.view.seq > view.seq) return;
    const before = last?.view.seq === view.seq ? last.before : (last?.view ?? null);
    this.look.value = { view, before, menu, tag: headers.get("ETag") ?? "" };
  }
}

/** Fetches, and notes the service's time. */
async function fetched(...sent: Parameters<typeof fetch>): Promise<Response> {
  const answer = await watched(...sent);
  noteClock(answer.headers);
  return answer;
}
