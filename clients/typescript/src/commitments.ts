/** The commitments to the seed of a match that its seat was shown, and what its receipts name. */
import { WrongCommitment, WrongSignature } from "./errors.js";
import { query, type Http } from "./http.js";
import { PublishedKeys } from "./signatures.js";
import { bytes, hashOf } from "./stored.js";
import type { Line, Ordered, Receipt, Schemas } from "./types.js";

/** The number of the first commitment in every audience's count: right behind the creation. */
const FIRST = 2;
const PAGE = 1000;

/**
 * How many records behind its input a commitment may stand: a seat is not told, since some are hidden from
 * it, so all are tried. They do not change what is committed to.
 */
const MOST_BACK = 1000;

const CREATION = /^arbiter-creation\/1\nmatch (\S+)\ncreated \S+\nseed-committed (\S+)\n\n/;
const RECEIPT = /^arbiter-receipt\/1\nmatch (\S+)\nseed-committed (\S+)\nseat (\d+)\ncount (\d+)\n/;
const ORDER = /^arbiter-receipt\/1\nmatch (\S+)\nseed-committed \S+\nseat moderator\n/;

type Committed = Extract<Line, { type: "match.seed-committed.1" }>;

/** A commitment, as the note of the creation names it, as an event has shown it, or both. */
interface Shown {
  named: string | null;
  event: Committed | null;
}

/**
 * What a seat was shown, by its own numbers. The first commitment is in the note of the creation; a
 * rewind makes another, which is an event. A receipt must name the last one before its submission.
 */
export class Commitments {
  readonly #http: Http;
  readonly #path: string;
  readonly #keys: PublishedKeys;
  #note: string | null = null;
  #shown = new Map<number, Shown>();

  constructor(
    http: Http,
    path: string,
    private readonly match: string,
  ) {
    this.#http = http;
    this.#path = path;
    this.#keys = new PublishedKeys(http);
  }

  /** Whether a signature could not be checked, since the platform has no Ed25519 here. */
  get unchecked(): boolean {
    return this.#keys.unchecked;
  }

  /**
   * The note of the creation, fetched once: before anything is sent that counts on it. Throws
   * WrongCommitment if it is another match's, or names another commitment than was shown, and
   * WrongSignature if it is not signed.
   */
  async know(signal?: AbortSignal): Promise<string> {
    if (this.#note !== null) return this.#note;
    const { note } = (await this.#http.ask<Schemas["CreationNote"]>(`${this.#path}/note`, { signal })).data;
    const signed = await this.#keys.haveSigned(note, signal);
    const [, match = "", named = ""] = CREATION.exec(note) ?? [];
    if (!this.#isOfMatch(match)) throw new WrongCommitment("this is not the note of the creation of the match", { note });
    this.#note = note;
    this.#show(FIRST, { named, event: null });
    if (!signed) throw new WrongSignature("no published key has signed the note of the creation", { note });
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
    if (line.type === "match.seed-committed.1") this.#show(line.seq, { named: null, event: line });
  }

  /** Forgets all commitments but the first: the records have gone back to a backup, maybe behind a rewind. */
  forget(): void {
    this.#shown = new Map([...this.#shown].filter(([number]) => number === FIRST));
  }

  /**
   * Throws WrongCommitment for a receipt that is not the seat's, or does not name what was shown, and
   * WrongSignature for one that is not signed.
   */
  async check(receipt: Receipt, signal?: AbortSignal): Promise<void> {
    const [, match = "", named = "", seat, count] = RECEIPT.exec(receipt.note ?? "") ?? [];
    if (!this.#isOfMatch(match)) throw this.#wrong("there is no receipt of this match", receipt, null);
    if (seat !== String(receipt.seat) || count !== String(receipt.seq)) {
      throw this.#wrong("the receipt is of another submission", receipt, null);
    }
    if (!isNamed(this.#inForce(receipt.seq), named)) await this.read(signal);
    const shown = this.#inForce(receipt.seq);
    if (!isNamed(shown, named)) {
      throw this.#wrong("the receipt names another commitment to the seed than the one shown", receipt, shown.event);
    }
    await this.#checkSignature(receipt, signal);
  }

  /** Throws WrongSignature for what is not signed as a receipt for what was ordered in this match. */
  async checkOrder(receipt: Ordered, signal?: AbortSignal): Promise<void> {
    const [, match = ""] = ORDER.exec(receipt.note ?? "") ?? [];
    if (!this.#isOfMatch(match)) throw new WrongSignature("there is no receipt of an order of this match", { receipt });
    await this.#checkSignature(receipt, signal);
  }

  async #checkSignature(receipt: Ordered, signal?: AbortSignal): Promise<void> {
    if (await this.#keys.haveSigned(receipt.note ?? "", signal)) return;
    throw new WrongSignature("no published key has signed the receipt", { note: this.#note, receipt });
  }

  /** The last commitment before an own event. */
  #inForce(count: number): Shown {
    const before = [...this.#shown.keys()].filter((number) => number <= Math.max(count, FIRST));
    return this.#shown.get(Math.max(...before)) ?? { named: null, event: null };
  }

  #show(number: number, shown: Shown): void {
    const before = this.#shown.get(number) ?? shown;
    const event = before.event ?? shown.event;
    if (!agree(before, shown)) {
      throw this.#wrong("the commitment to the seed is not the one that was shown before", null, event);
    }
    this.#shown.set(number, { named: before.named ?? shown.named, event });
  }

  #wrong(reason: string, receipt: Receipt | null, event: Line | null): WrongCommitment {
    return new WrongCommitment(reason, { note: this.#note, receipt, event });
  }

  #isOfMatch(named: string): boolean {
    return named.replaceAll("-", "") === this.match.replaceAll("-", "").toLowerCase();
  }
}

/** Whether a signed note that names this names the commitment. */
function isNamed({ named, event }: Shown, name: string | null): boolean {
  if (named !== null) return named === name;
  return event !== null && name !== null && isHashOf(event, name);
}

/** Whether both are of the same commitment. */
function agree(one: Shown, other: Shown): boolean {
  if (one.event !== null && other.event !== null) return told(one.event) === told(other.event);
  return isNamed(one, other.named) || isNamed(other, one.named);
}

function told({ at, data }: Committed): string {
  return JSON.stringify([at, data]);
}

/**
 * Whether it is the hash of the event as it is stored: its instant in microseconds, how far it stands behind
 * its input, and its fields.
 */
function isHashOf({ at, type, data }: Committed, name: string): boolean {
  const micros = Date.parse(`${at.slice(0, 19)}Z`) * 1000 + Number(at.slice(20, -1).padEnd(6, "0"));
  const { epoch, scheme, commit, rules_hash, roster_hash, names } = data;
  const hashes = { commit: bytes(commit), rules_hash: bytes(rules_hash), roster_hash: bytes(roster_hash) };
  const stored = { type, epoch, scheme, ...hashes, names: names.map(bytes) };
  for (let back = 0; back < MOST_BACK; back += 1) if (hashOf([micros, back, stored]) === name) return true;
  return false;
}
