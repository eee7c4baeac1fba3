/** Whether the operator has gone back to a backup. */
import { historyWentBack } from "./errors.js";

const INCARNATION = "Arbiter-Incarnation";

/** Which history of the store the answers are of; null where they do not say it. */
export function incarnationOf(headers: Headers): string | null {
  return headers.get(INCARNATION);
}

/** The history of which everything has to be that is read one after another. */
export class History {
  #incarnation: string | null;

  constructor(incarnation: string | null = null) {
    this.#incarnation = incarnation;
  }

  /** Throws HistoryWentBack if an answer is of another history than the one before. */
  check(headers: Headers): void {
    const incarnation = incarnationOf(headers);
    if (this.#incarnation !== null && incarnation !== this.#incarnation) throw historyWentBack();
    this.#incarnation = incarnation;
  }
}
