/** What rewinds have undone. */
import { isRewind, leftBehind, pointOf } from "../rewinds.js";
import { PHASE, SUBMITS, type AnyLine } from "./lines.js";

/** What is of no branch, so never undone: keys, cases, names, notes, rulings and seeds. */
const OF_NO_BRANCH =
  /^match\.((moderator-)?key-|case-|(seat-|sealed-)?(ruled|noted)\.|ruling-|consent-|seat-(replaced|named)|directed|rewind-ordered|name-salted|(sealed-|client-)?seed-)/;

/**
 * The numbers of the events that rewinds have undone; a rewind that was undone itself undoes nothing.
 * What seats had submitted in a sealed phase that is open again stands.
 */
export function undoneOf(lines: readonly AnyLine[]): ReadonlySet<number> {
  const left = leftBehind(lines);
  const undone = new Set(left.keys());
  const points = lines.filter((line) => isRewind(line) && !left.has(line.seq)).map(pointOf);
  const kept = [...points.flatMap((point) => standing(lines, point, undone)), ...lines.filter(isOfNoBranch)];
  for (const line of kept) undone.delete(line.seq);
  return undone;
}

/** Whether no rewind undoes it. */
export function isOfNoBranch({ type }: AnyLine): boolean {
  return OF_NO_BRANCH.test(type);
}

/** What was submitted behind the point in the phase that was open there, if several seats were awaited. */
function standing(lines: readonly AnyLine[], point: number, undone: ReadonlySet<number>): AnyLine[] {
  const opened = lines.filter((line) => line.type === PHASE && line.seq < point && !undone.has(line.seq)).at(-1);
  const awaited = (opened?.data.seats ?? []) as number[];
  if (awaited.length < 2) return [];
  const behind = lines.filter((line) => line.seq >= point);
  const end = behind.findIndex((line) => line.type === PHASE);
  return behind.slice(0, end === -1 ? undefined : end).filter((line) => SUBMITS.has(line.type));
}
