/** The receipts for what is ordered at the table: kept as soon as they come, and checked. */
import { ArbiterError, ConnectionLost, type Match, type Ordered } from "@arbiter/client";
import type { KeptReceipts } from "../kept_receipts.js";

/** Keeps what has come as receipts. What cannot be checked now is checked when all are read. */
export async function keepReceipts(given: readonly Ordered[], kept: KeptReceipts, match: Match): Promise<void> {
  for (const receipt of given) {
    kept.addReceipt(receipt);
    try {
      await match.checkOrder(receipt);
    } catch (error) {
      if (!(error instanceof ArbiterError || error instanceof ConnectionLost)) kept.contradict(error);
    }
  }
}

/** The receipts in an answer: to what goes on record, to a ruling, or of a list. There is none for what was so already. */
export function receiptsIn(answer: unknown): Ordered[] {
  const { receipt, ruling, note, receipts } = (answer ?? {}) as Answered;
  const given = receipts ?? (receipt == null ? [{ note: ruling === undefined ? null : (note ?? null) }] : [receipt]);
  return given.filter((one) => one.note !== null);
}

interface Answered {
  receipt?: Ordered | null;
  ruling?: string;
  note?: string | null;
  receipts?: Ordered[];
}
