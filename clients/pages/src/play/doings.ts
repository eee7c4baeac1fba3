/** What a seat has done, and what it has been asked, by its own events. */
import type { Line, Result } from "@arbiter/client";
import { undoneOf } from "../table/branches.js";
import { anyLine, type AnyLine } from "../table/lines.js";

/** An action of any game. */
export type Doing = { type: string } & Record<string, unknown>;

/** An action as it stands on record. */
export interface Done {
  seq: number;
  at: string;
  /** The phase in which it came, by the rules' name; null outside of phases. */
  phase: string | null;
  action: Doing;
  /** Why it does not count, if it does not. */
  code: string | null;
  refused: boolean;
}

/** A ruling for which the seats' consent is asked: by a moderator, or by the seat `asker`. */
export interface Asked {
  id: string;
  kind: string;
  reason: string;
  rule?: string;
  /** The reader's own number of the event before which the match would go on. */
  before?: number;
  result?: Result;
  /** The seat that another person, of this `name`, would take over. */
  replaces?: number;
  name?: string;
  asker?: number;
}

/** What a moderator has said to this seat or to all; or, with its kind, why there was a ruling. */
export interface Noted {
  seq: number;
  at: string;
  kind: string | null;
  text: string;
}

export interface Course {
  lines: readonly AnyLine[];
  phase: string | null;
  done: readonly Done[];
  asked: readonly Asked[];
  noted: readonly Noted[];
  /** The numbers of what does not count any more: a rewind has undone it, or a moderator struck it. */
  undone: ReadonlySet<number>;
  /** Whether the match has gone back, and not gone on since. */
  wentBack: boolean;
}

export const BEGINNING: Course = { lines: [], phase: null, done: [], asked: [], noted: [], undone: new Set(), wentBack: false };

/** What follows from an event. */
export function after(course: Course, line: Line): Course {
  const lines = [...course.lines, anyLine(line)];
  const undone = REVISES.has(line.type) ? undoneAmong(lines) : course.undone;
  return told({ ...course, lines, undone }, anyLine(line));
}

/** The events that change what has been done counts. */
const REVISES = new Set(["match.rewound.1", "match.struck.1", "match.seat-reapplied.1"]);

function undoneAmong(lines: readonly AnyLine[]): ReadonlySet<number> {
  const undone = new Set(undoneOf(lines));
  for (const { seq, type, data } of lines) {
    if (undone.has(seq)) continue;
    if (type === "match.struck.1") undone.add(data.of as number);
    if (type === "match.seat-reapplied.1") undone.delete(data.of as number);
  }
  return undone;
}

/** What an event says of its own. */
function told(course: Course, { seq, at, type, data }: AnyLine): Course {
  switch (type) {
    case "match.awaiting-changed.1":
      return { ...course, phase: data.phase as string | null };
    case "match.action-received.1": {
      const done = { seq, at, phase: course.phase, action: data.action as Doing, code: null, refused: false };
      return { ...course, done: [...course.done, done] };
    }
    case "match.submission-invalid.1":
    case "match.action-refused.1":
      return { ...course, done: judged(course.done, data.code as string, type === "match.action-refused.1") };
    case "match.consent-asked.1":
      return { ...course, asked: [...course.asked, data as unknown as Asked] };
    case "match.consent-closed.1":
      return { ...course, asked: course.asked.filter(({ id }) => id !== data.id) };
    case "match.noted.1":
    case "match.seat-noted.1":
      return { ...course, noted: [...course.noted, { seq, at, kind: null, text: data.text as string }] };
    case "match.ruled.1":
    case "match.seat-ruled.1":
      if (data.kind === "note") return course;
      return { ...course, noted: [...course.noted, { seq, at, kind: data.kind as string, text: data.reason as string }] };
    case "match.rewound.1":
      return { ...course, wentBack: true };
    case "match.resumed.1":
      return { ...course, wentBack: false };
    case "match.admitted.1":
      return { ...course, done: course.done.map((one) => (one.seq === data.of ? { ...one, code: null, refused: false } : one)) };
    default:
      return course;
  }
}

/** The latest action does not count. */
function judged(done: readonly Done[], code: string, refused: boolean): readonly Done[] {
  const last = done.at(-1);
  return last === undefined ? done : [...done.slice(0, -1), { ...last, code, refused }];
}
