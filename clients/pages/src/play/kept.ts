/** What the browser keeps of a seat beside its key, and forgets with it. */
import { newKey } from "@arbiter/client";
import { forget, keep, keyFor } from "../keys.js";
import { KeptReceipts } from "../kept_receipts.js";
import { device } from "../storage.js";
import type { Doing } from "./doings.js";

/** An action that has been confirmed and not answered: sent again, it counts once. */
export interface Unanswered {
  action: Doing;
  idempotencyKey: string;
  /** What the seat had seen. */
  ifMatch: string;
}

/** What the holder of a seat of an open table is shown once: the link for the others, if they opened it, and their code. */
export interface TableSecrets {
  link?: string;
  recovery: string;
}

/** What has been chosen and not been sent, and what the menu said of it. */
export interface Chosen {
  action: Doing;
  entry: string;
}

const KINDS = ["receipts", "unanswered", "evidence", "table", "draft", "push", "again"];

export class Kept extends KeptReceipts {
  /** The tournament of the match: a player's key for it opens the seat, too. */
  tournament: string | null = null;

  constructor(match: string) {
    super(match, `match ${match}`);
  }

  get key(): string | undefined {
    return keyFor(this.purpose);
  }

  /** Whether it outlasts this tab. */
  get onDevice(): boolean {
    return this.place === device;
  }

  /** Keeps a key, and with it what is there of its seat: nothing that was sent with another key. */
  keepKey(key: string, onDevice: boolean): void {
    const kinds = this.key === undefined || this.key === key ? KINDS : [];
    const before = kinds.map((kind) => [kind, this.place.get(this.named(kind))] as const);
    keep(this.purpose, key, onDevice);
    for (const [kind, text] of before) if (text !== null) this.place.set(this.named(kind), text);
  }

  /** Forgets the key and all that belongs to it. */
  forget(): void {
    forget(this.purpose);
    if (this.tournament !== null) forget(`tournament ${this.tournament}`);
  }

  get table(): TableSecrets | null {
    return this.read<TableSecrets>("table");
  }

  set table(shown: TableSecrets | null) {
    this.write("table", shown);
  }

  /** The id of the webhook by which the service tells this browser of the turns of the seat. */
  get push(): string | null {
    return this.read<string>("push");
  }

  set push(webhook: string | null) {
    this.write("push", webhook);
  }

  /** The idempotency key under which the seat at the next table is asked for: with it the same one is given again. */
  get again(): string {
    const known = this.read<string>("again") ?? newKey();
    this.write("again", known);
    return known;
  }

  get draft(): Chosen | null {
    return this.read<Chosen>("draft");
  }

  set draft(chosen: Chosen | null) {
    this.write("draft", chosen);
  }

  get unanswered(): Unanswered | null {
    return this.read<Unanswered>("unanswered");
  }

  set unanswered(sent: Unanswered | null) {
    this.write("unanswered", sent);
  }
}
