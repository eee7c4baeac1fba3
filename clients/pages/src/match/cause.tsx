/** How a match came to its end. */
import type { Line, View } from "@arbiter/client";
import type { VNode } from "preact";
import { Happened } from "../events.js";
import { say } from "../given.js";
import { Link } from "./timeline.js";
import { numbers, reading } from "./watch.js";

const ENDS = /^match\.(ended|voided)\./;

/** What only follows from the match's having come so far. */
const FOLLOWS = /^match\.(awaiting-changed|seed-revealed)\./;

/** What happened at the end, in order: in its instant, and since the match last waited for somebody. */
export function causes(lines: readonly Line[], seq: number): Line[] {
  const end = lines.filter((line) => line.seq <= seq && ENDS.test(line.type)).at(-1);
  if (end === undefined) return [];
  const before = lines.filter((line) => line.seq < end.seq);
  const waited = before.filter(waits).at(-1)?.seq ?? 0;
  return before.filter((line) => line.at === end.at && line.seq > waited && !FOLLOWS.test(line.type));
}

function waits(line: Line): boolean {
  return line.type === "match.awaiting-changed.1" && (line.data.seats.length > 0 || line.data.draw !== null);
}

/** How it came to the end, step by step. */
export function Cause({ view }: { view: View }): VNode | null {
  const steps = causes(reading.value?.lines() ?? [], view.seq);
  if (steps.length === 0) return null;
  return (
    <div class="match-cause">
      <h3>{say("match.cause")}</h3>
      <ol>
        {steps.map((line) => (
          <li key={line.seq}>
            <Link to={line.seq}>
              <span class="number">{numbers(line.seq)}</span>
              <span>
                <Happened line={line} seats={view.seats} cite={numbers} />
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Why a match is void. */
export function Void({ view }: { view: View }): VNode | null {
  if (view.status !== "void") return null;
  return (
    <section class="match-result" aria-labelledby="void">
      <h2 id="void">{say("match.void")}</h2>
      <Cause view={view} />
    </section>
  );
}
