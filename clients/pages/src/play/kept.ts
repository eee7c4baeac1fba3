/** What the browser keeps of a seat beside its key, and forgets with it. */
import type { Evidence, Receipt } from "@arbiter/client";
import { signal } from "@preact/signals";
import { forget, keep, keyFor, placeOf, type Purpose } from "../keys.js";
import { device, type Place } from "../storage.js";
import type { Doing } from "./doings.js";

/** An action that has been confirmed and not answered: sent again, it counts once. */
export interface Unanswered {
  action: Doing;
  idempotencyKey: string;
  /** What the seat had seen. */
  ifMatch: string;
}

const KINDS = ["receipts", "unanswered", "evidence"] as const;

export class Kept {
  /** The tournament of the match: a player's key for it opens the seat, too. */
  tournament: string | null = null;
  /** How many receipts there are. Those that another tab has added are counted by `countReceipts`. */
  readonly receiptCount = signal(0);
  readonly #purpose: Purpose;

  constructor(readonly match: string) {
    this.#purpose = `match ${match}`;
    this.countReceipts();
  }

  get key(): string | undefined {
    return keyFor(this.#purpose);
  }

  /** Whether it outlasts this tab. */
  get onDevice(): boolean {
    return this.#place === device;
  }

  /** Keeps a key, and with it what is there of its seat: nothing that was sent with another key. */
  keepKey(key: string, onDevice: boolean): void {
    const kinds = this.key === undefined || this.key === key ? KINDS : [];
    const before = kinds.map((kind) => [kind, this.#place.get(this.#named(kind))] as const);
    keep(this.#purpose, key, onDevice);
    for (const [kind, text] of before) if (text !== null) this.#place.set(this.#named(kind), text);
  }

  /** Forgets the key and all that belongs to it. */
  forget(): void {
    forget(this.#purpose);
    if (this.tournament !== null) forget(`tournament ${this.tournament}`);
  }

  get receipts(): Receipt[] {
    return this.#read<Receipt[]>("receipts") ?? [];
  }

  addReceipt(receipt: Receipt): void {
    const others = this.receipts.filter(({ seq }) => seq !== receipt.seq);
    this.#write("receipts", [...others, receipt]);
    this.countReceipts();
  }

  countReceipts(): void {
    this.receiptCount.value = this.receipts.length;
  }

  get unanswered(): Unanswered | null {
    return this.#read<Unanswered>("unanswered");
  }

  set unanswered(sent: Unanswered | null) {
    this.#write("unanswered", sent);
  }

  /** What shows that the service contradicts itself. */
  get evidence(): Evidence | null {
    return this.#read<Evidence>("evidence");
  }

  set evidence(shown: Evidence | null) {
    this.#write("evidence", shown);
  }

  get #place(): Place {
    return placeOf(this.#purpose);
  }

  #named(kind: (typeof KINDS)[number]): string {
    return `arbiter ${kind}: ${this.#purpose}`;
  }

  #read<T>(kind: (typeof KINDS)[number]): T | null {
    return JSON.parse(this.#place.get(this.#named(kind)) ?? "null") as T | null;
  }

  #write(kind: (typeof KINDS)[number], value: unknown): void {
    this.#place.set(this.#named(kind), JSON.stringify(value));
  }
}
