/** The events of a match as its moderators read them. */
import type { Line, Schemas } from "@arbiter/client";

/** A line of any type: new releases bring new ones. */
export interface AnyLine {
  seq: number;
  public_seq: number | null;
  at: string;
  type: string;
  data: Record<string, unknown>;
}

/** Tells that the match waits for somebody else, or for another reason. */
export const PHASE = "match.awaiting-changed.1";

export type Part = Schemas["Flip"] | Schemas["Shuffle"] | Schemas["Roll"];
export type Outcome = Schemas["EnteredDraw"]["outcome"];

/** The last that a seat has sent in the phase that is open; what a game makes of it, its board says. */
export interface Sent {
  at: string;
  /** Why it is not valid; null if it is. */
  code: string | null;
}

/** The events with which a submission begins. */
export const SUBMITS: ReadonlySet<string> = new Set(["match.action-received.1", "match.seat-reapplied.1", "match.admitted.1"]);

/** A draw that somebody has entered, and the public event before which a rewind undoes it. */
export interface Entered {
  id: string;
  seq: number;
  parts: readonly Part[];
  outcome: Outcome;
  before: number | null;
}

export function anyLine(line: Line): AnyLine {
  return line as unknown as AnyLine;
}

const HOUSEKEEPING = /^match\.(directed|awaiting-changed|name-salted|ruling-ordered|rewind-ordered|seed-|sealed-seed|draw-asked|\w*-?key-)/;

/** Whether it serves the service alone, and tells nothing of the match itself. */
export function isHousekeeping({ type }: AnyLine): boolean {
  return HOUSEKEEPING.test(type);
}

/** The events of the phase that is open, behind the one that opened it. */
export function openPhase(lines: readonly AnyLine[]): readonly AnyLine[] {
  const types = lines.map((line) => line.type);
  return lines.slice(types.lastIndexOf(PHASE) + 1);
}

/** What each seat has sent last among these events. */
export function sentBy(lines: readonly AnyLine[]): ReadonlyMap<number, Sent> {
  const sent = new Map<number, Sent>();
  for (const { type, at, data } of lines) {
    const seat = data.seat as number;
    if (type === "match.struck.1") sent.delete(seat);
    else if (SUBMITS.has(type)) sent.set(seat, { at, code: null });
    else if (type === "match.submission-invalid.1" || type === "match.action-refused.1") {
      sent.set(seat, { at, code: data.code as string });
    }
  }
  return sent;
}

/** The draws that were entered by hand, newest first. */
export function enteredIn(lines: readonly AnyLine[], isPublic: (line: AnyLine) => boolean): Entered[] {
  const parts = partsIn(lines);
  return lines
    .flatMap((line, index) => {
      const asked = parts.get(line.data.id as string);
      if (!isSettled(line) || line.data.by === "server" || asked === undefined) return [];
      const outcome = line.data.outcome as Outcome;
      const before = publicOfBatch(lines, index, isPublic);
      return [{ id: line.data.id as string, seq: line.seq, parts: asked, outcome, before }];
    })
    .reverse();
}

/** The number of the first public event of the input at this index, or of what followed from it; null without one. */
export function publicOfBatch(
  lines: readonly AnyLine[],
  index: number,
  isPublic: (line: AnyLine) => boolean,
): number | null {
  const next = lines.findIndex((line, at) => at > index && INPUTS.has(line.type));
  const batch = lines.slice(index, next === -1 ? undefined : next);
  return batch.find(isPublic)?.seq ?? null;
}

/** The index of the input that led to the event at an index, or of that event where it is none. */
export function inputOf(lines: readonly AnyLine[], index: number): number {
  const types = lines.slice(0, index + 1).map((line) => INPUTS.has(line.type));
  return Math.max(types.lastIndexOf(true), 0);
}

const INPUTS: ReadonlySet<string> = new Set([
  "match.action-received.1",
  "match.draw-settled.1",
  "match.sealed-draw-settled.1",
  "match.deadline-passed.1",
  "match.phase-closed.1",
  "match.ruled.1",
  "match.seat-ruled.1",
  "match.sealed-ruled.1",
]);

function isSettled({ type }: AnyLine): boolean {
  return type === "match.draw-settled.1" || type === "match.sealed-draw-settled.1";
}

/** The parts of each draw that was asked for, by its id. */
function partsIn(lines: readonly AnyLine[]): ReadonlyMap<string, readonly Part[]> {
  const found = new Map<string, readonly Part[]>();
  for (const { type, data } of lines) {
    const draw = type === PHASE ? data.draw : type === "match.draw-asked.1" ? data : null;
    const { id, parts } = (draw ?? {}) as { id?: string | null; parts?: Part[] | null };
    if (id != null && parts != null) found.set(id, parts);
  }
  return found;
}
