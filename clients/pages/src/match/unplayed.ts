/** Whether a result was entered by hand before anything was played on the board. */
import type { AnyLine } from "../table/lines.js";

/** What a match without a game goes on with: the ruling, the end, and what follows from them. */
const BESIDE = /^match\.(?!awaiting-changed|action-|submission-|rewound|struck|admitted)/;

/** As far as an audience sees it, all of whose lines these are. */
export function isUnplayed(lines: readonly Pick<AnyLine, "type" | "data">[]): boolean {
  const first = lines.findIndex(({ type, data }) => type === "match.awaiting-changed.1" && (data.seats as unknown[]).length > 0);
  const later = lines.slice(first + 1);
  return first !== -1 && later.some(({ type }) => type === "match.result-ruled.1") && later.every(({ type }) => BESIDE.test(type));
}
