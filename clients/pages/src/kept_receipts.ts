/** The receipts that the browser keeps beside a key, and forgets with it. */
import { WrongCommitment, WrongSignature, type Evidence, type Ordered } from "@arbiter/client";
import { signal } from "@preact/signals";
import { placeOf, type Purpose } from "./keys.js";
import type { Place } from "./storage.js";

/** What shows that the service contradicts itself, or that what it gave is not `signed`. */
export interface Alarm extends Evidence {
  signed: boolean;
}

export class KeptReceipts {
  /** How many receipts there are. Those that another tab has added are counted by `countReceipts`. */
  readonly receiptCount = signal(0);
  /** What shows that the service does not stand by what it says, as soon as it does not. */
  readonly alarm = signal<Alarm | null>(null);

  constructor(
    readonly match: string,
    protected readonly purpose: Purpose,
  ) {
    this.countReceipts();
    this.alarm.value = this.read<Alarm>("evidence");
  }

  get receipts(): Ordered[] {
    return this.read<Ordered[]>("receipts") ?? [];
  }

  addReceipt(receipt: Ordered): void {
    const others = this.receipts.filter((one) => !isSame(one, receipt));
    this.write("receipts", [...others, receipt]);
    this.countReceipts();
  }

  countReceipts(): void {
    this.receiptCount.value = this.receipts.length;
  }

  /** Keeps and shows the evidence of a commitment that was exchanged or not signed. Throws any other error. */
  contradict(error: unknown): void {
    if (!(error instanceof WrongCommitment)) throw error;
    const { evidence } = error;
    if (evidence.receipt !== null) this.addReceipt(evidence.receipt);
    this.alarm.value = { ...evidence, signed: !(error instanceof WrongSignature) };
    this.write("evidence", this.alarm.value);
  }

  protected get place(): Place {
    return placeOf(this.purpose);
  }

  /** Beside a key that opens several matches there is something of each. */
  protected named(kind: string): string {
    const of = this.purpose === `match ${this.match}` ? "" : ` of ${this.match}`;
    return `arbiter ${kind}${of}: ${this.purpose}`;
  }

  protected read<T>(kind: string): T | null {
    return JSON.parse(this.place.get(this.named(kind)) ?? "null") as T | null;
  }

  protected write(kind: string, value: unknown): void {
    this.place.set(this.named(kind), JSON.stringify(value));
  }
}

/** A repeated receipt is the same note; where there is none, the number tells. */
function isSame(one: Ordered, other: Ordered): boolean {
  return one.note === other.note && (one.note !== null || one.seq === other.seq);
}
