/** What has happened, round by round: the events as moves, with housekeeping only if its reader asks. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Happened } from "../events.js";
import { say } from "../given.js";
import { Mark, outcome } from "../parts.js";
import { isRewind } from "../rewinds.js";
import { isOfNoBranch } from "../table/branches.js";
import { anyLine, type AnyLine } from "../table/lines.js";
import { chaptersOf, rowsOf, turningPoints, type Chapter, type Moves, type Row, type Why } from "./moves.js";
import { Link } from "./timeline.js";
import { left, numbers, reading, wanted } from "./watch.js";

interface Listed {
  seats: readonly string[];
  moves: Moves | undefined;
  /** The numbers of the events with which the match turned. */
  turned: ReadonlySet<number>;
  /** Whether housekeeping is listed, too. */
  all: boolean;
}

export function Events({ seats, moves }: Pick<Listed, "seats" | "moves">): VNode {
  const lines = (reading.value?.lines() ?? []).map(anyLine);
  const all = useSignal(false);
  const list = useRef<HTMLDivElement>(null);
  const isRead = reading.value?.line(wanted.value) !== undefined;
  useEffect(() => inSight(list.current), [wanted.value, isRead, all.value]);
  const chapters = chaptersOf(lines, moves);
  const turned = new Set(turningPoints(lines.filter(({ seq }) => !left.value.has(seq)), moves));
  const here = chapters.findIndex((chapter) => chapter.lines.some(({ seq }) => seq === wanted.value));
  return (
    <section class="match-events" aria-labelledby="events">
      <h2 id="events">{say("match.events")}</h2>
      {reading.value?.audience !== "public" && <p class="quiet">{say("match.numbers")}</p>}
      <div class="match-chapters" ref={list} tabIndex={-1} data-numbers={reading.value?.audience === "public" ? "one" : "two"}>
        {chapters.map((chapter, index) => (
          <Part key={chapter.lines[0]?.seq} {...{ chapter, seats, moves, lines, turned }} all={all.value} isNear={index === here || index === here - 1} />
        ))}
        <Won seats={seats} lines={lines} />
      </div>
      <label class="tick">
        <input type="checkbox" checked={all.value} onChange={(event) => (all.value = event.currentTarget.checked)} />
        {say("match.events.all")}
      </label>
    </section>
  );
}

interface PartProps extends Listed {
  chapter: Chapter;
  lines: readonly AnyLine[];
  /** Whether the reader is there, or in the round behind it. */
  isNear: boolean;
}

/** A round; unfolded where the reader is, unless they have chosen otherwise. */
function Part({ chapter, isNear, ...listed }: PartProps): VNode {
  const chosen = useSignal<boolean | null>(null);
  const isOpen = chosen.value ?? isNear;
  const choose = (event: Event): void => {
    event.preventDefault();
    chosen.value = !isOpen;
  };
  const rows = isOpen ? rowsOf(chapter.lines, { all: listed.all, kept: wanted.value, moves: listed.moves }) : [];
  return (
    <details class="match-chapter" open={isOpen}>
      <summary onClick={choose}>{titleOf(chapter)}</summary>
      <ol>
        {rows.map((row) => (
          <One key={row.lines[0]?.seq} row={row} {...listed} />
        ))}
      </ol>
    </details>
  );
}

function titleOf({ set, pass, round }: Chapter): string {
  if (set !== null && pass !== null) return round === null ? say("match.chapter.pass", { set, pass }) : say("match.chapter.pass.round", { set, pass, round });
  if (set === null) return round === null ? say("match.chapter") : say("match.chapter.round", { round });
  return round === null ? say("match.chapter.set", { set }) : say("match.chapter.set.round", { set, round });
}

/** What one player did in a row: a link for each event. */
function One({ row, seats, moves, lines, turned }: { row: Row; lines: readonly AnyLine[] } & Listed): VNode {
  return (
    <li>
      {row.seat !== null && (
        <span class="match-who" aria-hidden="true">
          <Mark seat={row.seat} />
        </span>
      )}
      {row.lines.map((line, index) => (
        <span key={line.seq} class="match-move" data-left={left.value.has(line.seq) && !isOfNoBranch(line)} data-turns={turned.has(line.seq)}>
          {turned.has(line.seq) && <span class="unseen">{say("match.turns")}: </span>}
          <Link to={line.seq} current={line.seq === wanted.value}>
            <span class="number">{numbers(line.seq)}</span>
            <span>
              <Happened line={line} seats={seats} cite={numbers} goesOn={index > 0} />
            </span>
          </Link>
          <Because why={moves?.why?.(line, before(line, lines)) ?? null} seats={seats} />
        </span>
      ))}
    </li>
  );
}

/** What had happened before an event and stood then. */
function before({ seq }: AnyLine, lines: readonly AnyLine[]): AnyLine[] {
  const earlier = lines.filter((line) => line.seq < seq);
  const rewinds = earlier.filter(isRewind).map(({ seq: at }) => at);
  return earlier.filter((line) => !rewinds.some((at) => at === left.value.get(line.seq)) && !isRewind(line));
}

function Because({ why, seats }: { why: Why | null; seats: readonly string[] }): VNode | null {
  if (why === null) return null;
  const values = Object.entries(why.values).map(([name, value]) => [name, filled(value, seats)] as const);
  return <span class="match-why">{say(why.text, Object.fromEntries(values))}</span>;
}

function filled(value: Why["values"][string], seats: readonly string[]): string | number {
  if (typeof value !== "object") return value;
  return "word" in value ? say(value.word) : (seats[value.seat] ?? value.seat);
}

/** Who won: the last line. */
function Won({ seats, lines }: { seats: readonly string[]; lines: readonly AnyLine[] }): VNode | null {
  const result = reading.value?.newest.value?.result;
  const end = lines.filter(({ type }) => type === "match.ended.1").at(-1);
  if (result == null || end === undefined) return null;
  return (
    <p class="match-won">
      <Link to={end.seq}>{outcome(result, seats)}</Link>
    </p>
  );
}

/** Moves the list alone, so that the page stays where it is. */
function inSight(list: HTMLElement | null): void {
  const present = list?.querySelector<HTMLElement>("[aria-current]");
  if (list == null || present == null) return;
  const { top, bottom } = present.getBoundingClientRect();
  const seen = list.getBoundingClientRect();
  if (top < seen.top || bottom > seen.bottom) list.scrollTop += top - seen.top - seen.height / 2;
}
