/** The commitments to the seed of a match that its seat was shown, and what its receipts name. */
import { WrongCommitment } from "./errors.js";
import { query, type Http } from "./http.js";
import { bytes, hashOf } from "./stored.js";
import type { Line, Receipt, Schemas } from "./types.js";

/** The number of the first commitment in every audience's count: right behind the creation. */
const FIRST = 2;
const PAGE = 1000;

const CREATION = /^arbiter-creation\/1\nmatch (\S+)\ncreated \S+\nseed-committed (\S+)\n\n/;
const RECEIPT = /^arbiter-receipt\/1\nmatch (\S+)\nseed-committed (\S+)\nseat (\d+)\ncount (\d+)\n/;

type Committed = Extract<Line, { type: "match.seed-committed.1" }>;

/** What receipts name a commitment by, and the event in which it was shown; none for the note's. */
interface Shown {
  named: string;
  event: Line | null;
}

/**
 * What a seat was shown, by its own numbers. The first commitment is in the note of the creation; a
 * rewind makes another, which is an event. A receipt must name the last one before its submission.
 */
export class Commitments {
  readonly #http: Http;
  readonly #path: string;
  #note: string | null = null;
  #shown = new Map<number, Shown>();

  constructor(
    http: Http,
    path: string,
    private readonly match: string,
  ) {
    this.#http = http;
    this.#path = path;
  }

  /**
   * The note of the creation, fetched once: before anything is sent that counts on it. Throws
   * WrongCommitment if it is another match's, or names another commitment than was shown.
   */
  async know(signal?: AbortSignal): Promise<string> {
    if (this.#note !== null) return this.#note;
    const { note } = (await this.#http.ask<Schemas["CreationNote"]>(`${this.#path}/note`, { signal })).data;
    const [, match = "", named = ""] = CREATION.exec(note) ?? [];
    if (!this.#isOfMatch(match)) throw new WrongCommitment("this is not the note of the creation of the match", { note });
    this.#note = note;
    this.#show(FIRST, { named, event: null });
    return note;
  }

  /** Reads the events behind the last commitment that was shown: there may be another. */
  async read(signal?: AbortSignal): Promise<void> {
    let after: number | null = Math.max(...this.#shown.keys());
    while (after !== null) {
      const path: string = `${this.#path}/events${query({ after, limit: PAGE })}`;
      const { data } = await this.#http.ask<Schemas["EventPage"]>(path, { signal });
      data.events.forEach((line) => this.show(line));
      after = data.next;
    }
  }

  /** Notes an event of the seat. Throws WrongCommitment if another commitment was shown in its place. */
  show(line: Line): void {
    if (line.type === "match.seed-committed.1") this.#show(line.seq, { named: nameOf(line), event: line });
  }

  /** Forgets all commitments but the first: the records have gone back to a backup, maybe behind a rewind. */
  forget(): void {
    this.#shown = new Map([...this.#shown].filter(([number]) => number === FIRST));
  }

  /** Throws WrongCommitment for a receipt that is not the seat's, or does not name what was shown. */
  async check(receipt: Receipt, signal?: AbortSignal): Promise<void> {
    const [, match = "", named, seat, count] = RECEIPT.exec(receipt.note ?? "") ?? [];
    if (!this.#isOfMatch(match)) throw this.#wrong("there is no receipt of this match", receipt, null);
    if (seat !== String(receipt.seat) || count !== String(receipt.seq)) {
      throw this.#wrong("the receipt is of another submission", receipt, null);
    }
    if (this.#inForce(receipt.seq)?.named !== named) await this.read(signal);
    const shown = this.#inForce(receipt.seq);
    if (shown?.named === named) return;
    const reason = "the receipt names another commitment to the seed than the one shown";
    throw this.#wrong(reason, receipt, shown?.event ?? null);
  }

  /** The last commitment before an own event. */
  #inForce(count: number): Shown | undefined {
    const before = [...this.#shown.keys()].filter((number) => number <= Math.max(count, FIRST));
    return this.#shown.get(Math.max(...before));
  }

  #show(number: number, shown: Shown): void {
    const before = this.#shown.get(number);
    if (before === undefined) this.#shown.set(number, shown);
    else if (before.named !== shown.named) {
      const reason = "the commitment to the seed is not the one that was shown before";
      throw this.#wrong(reason, null, before.event ?? shown.event);
    }
  }

  #wrong(reason: string, receipt: Receipt | null, event: Line | null): WrongCommitment {
    return new WrongCommitment(reason, { note: this.#note, receipt, event });
  }

  #isOfMatch(named: string): boolean {
    return named.replaceAll("-", "") === this.match.replaceAll("-", "").toLowerCase();
  }
}

/** What receipts name a commitment by: the hash of its instant in microseconds, 0 because it follows from no other input, and its fields. */
function nameOf({ at, type, data }: Committed): string {
  const micros = Date.parse(`${at.slice(0, 19)}Z`) * 1000 + Number(at.slice(20, -1).padEnd(6, "0"));
  const { epoch, scheme, commit, rules_hash, roster_hash, names } = data;
  const hashes = { commit: bytes(commit), rules_hash: bytes(rules_hash), roster_hash: bytes(roster_hash) };
  return hashOf([micros, 0, { type, epoch, scheme, ...hashes, names: names.map(bytes) }]);
}
