/** What happened in a match, as people tell it: in rounds, and what one player did in a row on one line. */
import type { AnyLine } from "../table/lines.js";

/** Why something happened: a text, and what is filled in, which may be a text itself or who has a seat. */
export interface Why {
  text: string;
  values: Record<string, string | number | { word: string } | { seat: number }>;
}

/** What a game says of its moves; without it rounds are those that its events name. */
export interface Moves {
  /** The event that ends a round, where no event says which round begins. */
  ends?: string;
  /** Events that only follow from others, or say what the rounds' titles say. */
  quiet?: readonly string[];
  /** Why an event happened, by those that happened before it and were not undone. */
  why?(line: AnyLine, earlier: readonly AnyLine[]): Why | null;
  /** Whether the match turned here: a coin was stolen, somebody is out. */
  turns?(line: AnyLine): boolean;
  /** The pass through the rounds of a set that an event begins; null if it begins none. */
  pass?(line: AnyLine): number | null;
  /** What each seat has after an event that changes who leads; the most leads. */
  standing?(line: AnyLine): number[] | null;
}

/** The numbers of the events with which the match turned: those that the game names, and where another seat takes the lead. */
export function turningPoints(lines: readonly AnyLine[], { turns, standing }: Moves = {}): number[] {
  let leader: number | null = null;
  return lines.filter((line) => {
    const has = standing?.(line) ?? [];
    const most = Math.max(...has);
    const next = has.filter((one) => one === most).length === 1 ? has.indexOf(most) : leader;
    const isTaken = leader !== null && next !== leader;
    leader = next;
    return isTaken || turns?.(line) === true;
  }).map(({ seq }) => seq);
}

/** A round, or another part of a match; without a number where the game has none. */
export interface Chapter {
  set: number | null;
  /** The how manieth time the rounds of the set are played; null the first time. */
  pass: number | null;
  round: number | null;
  lines: AnyLine[];
}

/** What one player did in a row, or one thing that happened. */
export interface Row {
  seat: number | null;
  lines: AnyLine[];
}

/** More events than this are told in several chapters. */
const MOST = 200;

const HOUSEKEEPING =
  /^match\.(created|seat-named|name-salted|seat-ready|(sealed-|client-)?seed-\w+|awaiting-changed|draw-asked|(sealed-)?draw-settled|(moderator-)?key-\w+|directed|ruling-ordered|rewind-ordered|action-received|ended)\./;

const TURNED_DOWN = /^match\.(action-refused|submission-invalid)\./;

/** The rounds in order. What comes before the first is told with it. */
export function chaptersOf(lines: readonly AnyLine[], moves: Moves = {}): Chapter[] {
  const chapters: Chapter[] = [];
  let at: Place = { set: null, pass: null, round: moves.ends === undefined ? null : 1 };
  let isOver = false;
  for (const line of lines) {
    const next = begun(line, at, isOver, moves);
    at = next ?? at;
    const last = chapters.at(-1);
    const goesOn = last !== undefined && last.lines.length < MOST && (next === null || isUnnumbered(last));
    if (goesOn) Object.assign(last, at).lines.push(line);
    else chapters.push({ ...at, lines: [line] });
    if (ofGame(line)) isOver = line.type === moves.ends;
  }
  return chapters;
}

type Place = Pick<Chapter, "set" | "pass" | "round">;

function isUnnumbered({ set, round }: Place): boolean {
  return set === null && round === null;
}

/** The set and the round that an event begins; null if it begins none. */
function begun(line: AnyLine, at: Place, isOver: boolean, moves: Moves): Place | null {
  const { data } = line;
  if (!ofGame(line)) return null;
  if (isOver) return { ...at, round: (at.round ?? 0) + 1 };
  if (typeof data.set === "number" && data.set !== at.set) return { set: data.set, pass: null, round: null };
  const pass = moves.pass?.(line) ?? at.pass;
  if (pass !== at.pass) return { ...at, pass, round: null };
  if (typeof data.round === "number" && data.round !== at.round) return { ...at, round: data.round };
  return null;
}

function ofGame({ type }: AnyLine): boolean {
  return !type.startsWith("match.");
}

/** What is told of these events: everything, or without housekeeping but for the event of this number. */
export function rowsOf(lines: readonly AnyLine[], { all, kept, moves = {} }: { all: boolean; kept: number; moves?: Moves | undefined }): Row[] {
  const told = lines.filter((line, index) => all || line.seq === kept || !isQuiet(line, lines[index + 1], moves));
  const rows: Row[] = [];
  for (const line of told) {
    const last = rows.at(-1);
    const seat = actor(line);
    if (!all && seat !== null && last?.seat === seat) last.lines.push(line);
    else rows.push({ seat, lines: [line] });
  }
  return rows;
}

function isQuiet(line: AnyLine, next: AnyLine | undefined, { quiet = [] }: Moves): boolean {
  if (next !== undefined && TURNED_DOWN.test(next.type)) return false;
  return HOUSEKEEPING.test(line.type) || quiet.includes(line.type);
}

/** The seat that did it. */
function actor(line: AnyLine): number | null {
  return ofGame(line) && typeof line.data.seat === "number" ? line.data.seat : null;
}
