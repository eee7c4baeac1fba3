/** A ruling side by side: as it was played, as it is ruled, and what the seats keep. */
import type { Schemas } from "@arbiter/client";
import type { ComponentType, VNode } from "preact";
import type { Shown } from "../board.js";
import { changes } from "../changes.js";
import { doubtAbout } from "../doubt.js";
import { say } from "../given.js";
import { outcomeWithScores, Seat, words } from "../parts.js";
import { linesOf, type Change, type Previewed } from "./draft.js";
import { changeName } from "./rewinding.js";
import { cases, desk, seen } from "./state.js";
import { isHousekeeping, type AnyLine } from "./lines.js";
import { nameOf, numbersOf, Recorded, valueName } from "./words.js";

interface ComparedProps {
  previewed: Previewed;
  /** What is ordered: the body of the ruling, or what is known of one that waits. */
  order: Record<string, unknown>;
  Board: ComponentType<Shown>;
}

/** The three columns of a preview. */
export function Compared({ previewed, order, Board }: ComparedProps): VNode {
  const { shown, now, point } = previewed;
  const differs = point === null ? () => false : changes(now.view, point.view);
  return (
    <div class="compared">
      <section aria-labelledby="as-played">
        <h3 id="as-played">{say("table.played")}</h3>
        <Result of={shown.before} none={say("table.result.none")} />
        {now.view !== null && <Drawn view={now} Board={Board} changed={differs} />}
        <Undone numbers={shown.undone} />
      </section>
      <section aria-labelledby="as-ruled">
        <h3 id="as-ruled">{say("table.ruled")}</h3>
        <Result of={shown.after} none={say(order.kind === "void" ? "table.now.void" : "table.result.none")} />
        {order.kind === "result" && <Doubt of={shown.after} />}
        <Ordered order={order} />
        {point !== null && <p class="quiet">{say("table.ruled.point")}</p>}
        {point !== null && point.view !== null && <Drawn view={point} Board={Board} changed={differs} />}
        {shown.misfit !== null && <p class="notice">{say("table.misfit", { number: numbersOf(shown.misfit), code: words(shown.misfit.code) })}</p>}
      </section>
      <Learnt learnt={shown.learnt} />
    </div>
  );
}

function Drawn({ view, Board, changed }: { view: Previewed["now"]; Board: ComponentType<Shown>; changed: Shown["changed"] }): VNode {
  return (
    <div class="board">
      <Board {...view} view={view.view} changed={changed} />
    </div>
  );
}

function Result({ of: { result, standings }, none }: { of: Schemas["Outcome"]; none: string }): VNode {
  return (
    <>
      <p class="outcome">{result === null ? none : outcomeWithScores(result, seen.value?.view.seats ?? [])}</p>
      {standings !== null && (
        <ol class="standings">
          {standings.map((one) => (
            <li key={one.name}>
              <bdi>{one.name}</bdi> <span class="number">{say("table.standing", { count: one.won, played: one.played })}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function Doubt({ of: { result } }: { of: Schemas["Outcome"] }): VNode | null {
  const question = doubtAbout(result, seen.value?.view.seats ?? []);
  return question === null ? null : <p class="notice">{question}</p>;
}

function Undone({ numbers }: { numbers: readonly number[] }): VNode | null {
  const known = linesOf(numbers);
  if (numbers.length === 0) return null;
  return (
    <>
      <p>{say("table.undone", { count: numbers.length })}</p>
      {known.length > 0 && (
        <details>
          <summary>{say("table.undone.which")}</summary>
          <ol class="record">
            {known.map((line) => (
              <li key={line.seq}>
                <Recorded line={line} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

const SAID_ELSEWHERE = new Set(["kind", "reason", "rule", "case", "appeals", "ask_seats", "preview", "before", "before_public", "changes", "result"]);

/** What is ordered, but for what the rest of the preview says. */
function Ordered({ order }: { order: Record<string, unknown> }): VNode {
  const made = (order.changes ?? []) as Change[];
  const fields = Object.entries(order).filter(([name, value]) => !SAID_ELSEWHERE.has(name) && value !== null);
  return (
    <ul class="ordered">
      {made.map((change, index) => (
        <li key={index}>{changeName(change)}</li>
      ))}
      {fields.map(([name, value]) => (
        <li key={name}>
          <span class="quiet">{say(`table.field.${name}`)}:</span> <bdi>{name === "seat" ? nameOf(value as number) : valueName(name, value)}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** What each seat has received in between, and keeps. */
function Learnt({ learnt }: { learnt: Schemas["Learnt"][] }): VNode {
  return (
    <section aria-labelledby="learnt">
      <h3 id="learnt">{say("table.learnt")}</h3>
      <p class="quiet">{say("table.learnt.why")}</p>
      <ul class="listed">
        {learnt.map(({ seat, events }) => (
          <li key={seat}>
            <Seat number={seat} name={nameOf(seat)} />
            {isNothing(events) ? <span class="quiet"> {say("table.learnt.nothing")}</span> : <Kept numbers={events} />}
          </li>
        ))}
      </ul>
      {learnt.length === 0 && <p>{say("table.learnt.nobody")}</p>}
    </section>
  );
}

function isNothing(numbers: readonly number[]): boolean {
  return desk.value?.role === "organiser" ? numbers.length === 0 : told(numbers).length === 0;
}

function told(numbers: readonly number[]): AnyLine[] {
  return linesOf(numbers).filter((line) => !isHousekeeping(line));
}

/** The lines that are shown at once. */
const FEW = 6;

function Kept({ numbers }: { numbers: readonly number[] }): VNode {
  if (desk.value?.role === "organiser") return <p>{say("table.learnt.count", { count: numbers.length })}</p>;
  const lines = told(numbers);
  const list = (
    <ol class="record">
      {lines.map((line) => (
        <li key={line.seq}>
          <Recorded line={line} />
        </li>
      ))}
    </ol>
  );
  if (lines.length <= FEW) return list;
  return (
    <details>
      <summary>{say("table.learnt.count", { count: lines.length })}</summary>
      {list}
    </details>
  );
}

/** What a case is about, for a ruling that names it. */
export function caseName(id: string): string {
  return cases.value.find((one) => one.case === id)?.statements[0]?.says ?? id;
}
