/** How a game brings its board, and the board of a game that brings none. */
import type { Line, View } from "@arbiter/client";
import type { ComponentType, VNode } from "preact";
import { say } from "./given.js";
import type { Moves } from "./match/moves.js";
import { part } from "./part.js";
import { words } from "./parts.js";
import { below } from "./root.js";

/** What a board draws: the game's own view, to one audience, at one position. */
export interface Shown<Board = unknown> {
  view: Board;
  /** The names of those who have the seats, in order. */
  seats: readonly string[];
  /** As which audience it is read: `public`, `moderator` or `seat:N`. */
  audience: string;
  result: View["result"];
  /**
   * Whether the last step changed the part of the view at this path, such as `changed("stacks", 1)`;
   * a part that holds a changed one has changed, too. Nothing has where the step before is not known.
   */
  changed(...path: (string | number)[]): boolean;
  /** The view one step before, where it is known. */
  before?: Board | null | undefined;
  /** All events of this audience until this view, where they are known; a chart may need them. */
  lines?: readonly Line[] | undefined;
}

/** Lines of a chart over the course of a match: `x` and every line's `y` are of the same length. */
export interface Course {
  /** What is counted, and in which steps, in words. */
  title: string;
  along: string;
  x: number[];
  lines: { seat: number; y: (number | null)[] }[];
}

/** What a file of `boards/`, named as its game, exports. */
export interface BoardFile<Board = never> {
  Board: ComponentType<Shown<Board>>;
  /** How totals, chips or votes have run until this view; null where there is nothing to draw. */
  course?: (shown: Shown<Board>) => Course | null;
  /** What the game says of its moves, where they are listed. */
  moves?: Moves;
}

/** The board of a game, from the file that the page names; a plain one without a file. */
export async function boardFrom(file: string | null): Promise<BoardFile<unknown>> {
  return file === null ? { Board: PlainBoard } : await part(import(below(file)) as Promise<BoardFile<unknown>>);
}

/** Any view as its fields, in words. */
export function PlainBoard({ view }: Shown): VNode {
  return <Value given={view} />;
}

/** A value of any shape. */
export function Value({ given }: { given: unknown }): VNode {
  if (given === null || given === undefined) return <span class="quiet">{say("nothing")}</span>;
  if (typeof given === "boolean") return <>{say(given ? "yes" : "no")}</>;
  if (typeof given !== "object") return <bdi>{String(given)}</bdi>;
  if (Array.isArray(given)) return <Values given={given} />;
  return (
    <dl class="fields">
      {Object.entries(given).map(([field, one]) => (
        <div key={field}>
          <dt>{words(field)}</dt>
          <dd>
            <Value given={one} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Values({ given }: { given: unknown[] }): VNode {
  if (given.length === 0) return <Value given={null} />;
  return (
    <ol class="values" start={0}>
      {given.map((one, index) => (
        <li key={index}>
          <Value given={one} />
        </li>
      ))}
    </ol>
  );
}
