/** What coins, dice, cards and chips have shown at a real table, entered by tapping. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { inWords } from "../events.js";
import { language, say } from "../given.js";
import { Problem, useDoing } from "./doing.js";
import type { Outcome, Part } from "./lines.js";
import { ask, readView } from "./state.js";

/** One thing that was tapped: a face, the number of a die, an item. */
export type Tap = string | number;

/** A part with what was tapped of it. */
interface Filled {
  part: Part;
  taps: Tap[];
  missing: number;
}

/** What was tapped, shared out to the parts in their order. */
export function filled(parts: readonly Part[], taps: readonly Tap[]): Filled[] {
  let behind = 0;
  return parts.map((part) => {
    const size = sizeOf(part);
    const own = taps.slice(behind, behind + size);
    behind += size;
    return { part, taps: own, missing: size - own.length };
  });
}

/** The outcome, once everything is tapped. */
export function outcomeOf(parts: readonly Part[], taps: readonly Tap[]): Outcome | null {
  const all = filled(parts, taps);
  return all.every((one) => one.missing === 0) ? all.map(outcomeOfPart) : null;
}

/** What would have to be tapped for an outcome. */
export function tapsOf(parts: readonly Part[], outcome: Outcome): Tap[] {
  return parts.flatMap((part, index) => {
    const one = outcome[index] as Tap | Tap[];
    return Array.isArray(one) ? one.slice(0, sizeOf(part)) : [one];
  });
}

/** The last item of an order follows from the others. */
function sizeOf(part: Part): number {
  return part.kind === "shuffle" ? Math.max(0, part.items.length - 1) : 1;
}

function outcomeOfPart({ part, taps }: Filled): Tap | Tap[] {
  return part.kind === "shuffle" ? [...taps, ...left(part.items, taps)] : (taps[0] as Tap);
}

function left(items: readonly Tap[], taken: readonly Tap[]): Tap[] {
  const rest = [...items];
  for (const item of taken) rest.splice(rest.indexOf(item), 1);
  return rest;
}

/** The awaited draw: it is entered, looked at, and sent. */
export function Draw({ id, parts }: { id: string; parts: readonly Part[] }): VNode {
  const taps = useSignal<Tap[]>([]);
  const doing = useDoing();
  const outcome = outcomeOf(parts, taps.value);
  async function enter(): Promise<void> {
    await doing.run(async () => {
      await ask("/draws", { method: "POST", body: { id, outcome } });
      await readView();
    });
  }
  return (
    <section class="draw" aria-labelledby="draw">
      <h2 id="draw">{say("table.draw")}</h2>
      <Pad parts={parts} taps={taps.value} onTaps={(given) => (taps.value = given)} />
      <Problem of={doing} />
      <p class="row">
        <button class="big" disabled={outcome === null} aria-disabled={doing.busy} onClick={enter}>
          {say("table.draw.enter")}
        </button>
      </p>
    </section>
  );
}

interface PadProps {
  parts: readonly Part[];
  taps: readonly Tap[];
  onTaps(taps: Tap[]): void;
}

/** Parts of a draw to tap in, with a way back. */
export function Pad({ parts, taps, onTaps }: PadProps): VNode {
  const all = filled(parts, taps);
  const next = all.findIndex((one) => one.missing > 0);
  function turnOver(index: number): void {
    const behind = parts.slice(0, index).reduce((sum, part) => sum + sizeOf(part), 0);
    onTaps(taps.map((tap, at) => (at === behind ? (tap === "heads" ? "tails" : "heads") : tap)));
  }
  return (
    <div class="pad">
      <ol class="entered">
        {all.map((one, index) => (
          <li key={index} aria-current={index === next ? "step" : undefined}>
            <span class="label">{labelOf(parts, index)}</span>
            <Shown filled={one} label={labelOf(parts, index)} onTurn={() => turnOver(index)} />
          </li>
        ))}
      </ol>
      <p class="quiet" role="status">
        {next === -1 ? say("table.draw.whole") : say("table.draw.next", { part: labelOf(parts, next) })}
      </p>
      <div class="choices" role="group" aria-label={say("table.draw.choices")}>
        {next !== -1 && <Choices filled={all[next] as Filled} onTap={(tap) => onTaps([...taps, tap])} />}
        <button type="button" class="plain" disabled={taps.length === 0} onClick={() => onTaps(taps.slice(0, -1))}>
          {say("table.draw.undo")}
        </button>
      </div>
    </div>
  );
}

function labelOf(parts: readonly Part[], index: number): string {
  const part = parts[index] as Part;
  const label = part.kind === "shuffle" ? say("table.draw.order") : part.label.split(" ").map(inWords).join(" ");
  return parts.length === 1 || /\d$/.test(label) ? label : `${index + 1}. ${label}`;
}

/** What was tapped of a part. A coin can be turned over; the rest is undone step by step. */
function Shown({ filled: { part, taps, missing }, label, onTurn }: { filled: Filled; label: string; onTurn(): void }): VNode {
  if (part.kind === "shuffle") {
    const order = missing === 0 ? [...taps, ...left(part.items, taps)] : taps;
    return <span class="order">{order.map((item, at) => <span class="item" key={at}>{item}</span>)}</span>;
  }
  const [tap] = taps;
  if (tap === undefined) return <span class="empty" data-kind={part.kind} aria-hidden="true" />;
  if (part.kind === "roll") return <Die number={tap as number} sides={part.sides} />;
  const turn = say("table.draw.turn", { part: label, face: faceName(tap) });
  return (
    <button type="button" class="coin" data-face={tap} aria-label={turn} title={turn} onClick={onTurn}>
      {faceName(tap)}
    </button>
  );
}

const MOST_BUTTONS = 20;

/** The big buttons for a part. */
function Choices({ filled: { part, taps }, onTap }: { filled: Filled; onTap(tap: Tap): void }): VNode {
  if (part.kind === "roll" && part.sides > MOST_BUTTONS) return <Typed sides={part.sides} onTap={onTap} />;
  const choices = part.kind === "flip" ? ["heads", "tails"] : part.kind === "roll" ? upTo(part.sides) : left(part.items, taps);
  return (
    <>
      {choices.map((tap, index) => (
        <button type="button" class="tap" data-kind={part.kind} key={`${taps.length} ${index}`} onClick={() => onTap(tap)}>
          {part.kind === "roll" ? <Die number={tap as number} sides={part.sides} /> : faceName(tap)}
        </button>
      ))}
    </>
  );
}

function Typed({ sides, onTap }: { sides: number; onTap(tap: Tap): void }): VNode {
  const number = useSignal("");
  const fits = /^\d+$/.test(number.value) && Number(number.value) >= 1 && Number(number.value) <= sides;
  return (
    <span class="row">
      <label>
        <span>{say("table.draw.number", { sides: new Intl.NumberFormat(language).format(sides) })}</span>
        <input inputMode="numeric" value={number} onInput={(event) => (number.value = event.currentTarget.value)} />
      </label>
      <button type="button" disabled={!fits} onClick={() => onTap(Number(number.value))}>
        {say("table.draw.take")}
      </button>
    </span>
  );
}

function upTo(sides: number): number[] {
  return Array.from({ length: sides }, (_, index) => index + 1);
}

function faceName(tap: Tap): string {
  return inWords(tap);
}

/** Where the dots of a die stand, in a grid of three by three. */
const DOTS: Record<number, number[]> = {
  1: [4],
  2: [0, 8],
  3: [0, 4, 8],
  4: [0, 2, 6, 8],
  5: [0, 2, 4, 6, 8],
  6: [0, 2, 3, 5, 6, 8],
};

/** A die: with dots if it has six sides. */
function Die({ number, sides }: { number: number; sides: number }): VNode {
  if (sides !== 6) return <span class="tapped-die">{number}</span>;
  return (
    <svg class="tapped-die" viewBox="0 0 24 24" role="img" aria-label={String(number)}>
      {DOTS[number]?.map((place) => (
        <circle key={place} cx={6 + 6 * (place % 3)} cy={6 + 6 * Math.floor(place / 3)} r="2.2" />
      ))}
    </svg>
  );
}
