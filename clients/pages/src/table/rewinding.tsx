/** Where a match goes back to, and what is different there. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { publicNumber } from "../numbers.js";
import { isOfNoBranch } from "./branches.js";
import { draft, plainId, type Change } from "./draft.js";
import { outcomeOf, Pad, tapsOf, type Tap } from "./draw.js";
import { Label, type Entry } from "./label.js";
import { openPhase, publicOfBatch, type AnyLine, type Entered } from "./lines.js";
import { entered, isPublic, live, seen } from "./state.js";
import { named, numbers, numbersOf, summary, told } from "./words.js";

const LATEST = 300;

/** The public event before which the match goes on. */
export function Point({ field, value, onValue }: Entry<number>): VNode {
  const points = live.value.filter(isPoint).slice(-LATEST).reverse();
  function given(seq: number | undefined): void {
    if (seq !== undefined) leaveOut("before_public");
    onValue(seq);
  }
  return (
    <label>
      <Label field={field} />
      <select value={value ?? ""} onChange={({ currentTarget }) => given(Number(currentTarget.value) || undefined)}>
        <option value="">{say("table.before.none")}</option>
        {points.map((line) => (
          <option key={line.seq} value={line.seq}>
            {summary(line)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The same, typed in by its number in the public's count: `p6`, or `6`. */
export function TypedPoint({ field, value, onValue }: Entry<number>): VNode {
  function given({ value: typed, validity }: HTMLInputElement): void {
    const number = validity.valid ? (publicNumber(typed) ?? undefined) : undefined;
    if (number !== undefined) leaveOut("before");
    onValue(number);
  }
  return (
    <label>
      <Label field={field} />
      <input
        key={value === undefined ? "none" : "given"}
        pattern="p?[1-9][0-9]{0,8}"
        placeholder="p6"
        autocomplete="off"
        defaultValue={value === undefined ? "" : `p${value}`}
        onChange={({ currentTarget }) => given(currentTarget)}
      />
    </label>
  );
}

/** Empties a field: the event is named in one way. */
function leaveOut(name: string): void {
  const { kind, fields } = draft.value;
  draft.value = { kind, fields: { ...fields, [name]: undefined } };
}

/** Whether a match can go back to before it: to what everybody has seen, and not to before its start. */
function isPoint(line: AnyLine): boolean {
  return isPublic(line) && !isOfNoBranch(line) && !line.type.startsWith("match.created");
}

/** What is different when the match goes on. A draw that is entered anew stands with what it was. */
export function Changes({ field, value = [], onValue }: Entry<Change[]>): VNode {
  const possible = candidates().filter(({ change }) => !value.some((one) => same(one, change)));
  function add(name: string): void {
    const found = possible.find((one) => one.name === name);
    if (found === undefined) return;
    onValue([...value, found.change]);
    const { fields } = draft.value;
    if (fields.before === undefined && fields.before_public === undefined && found.before !== null) {
      draft.value = { ...draft.value, fields: { ...draft.value.fields, before: found.before } };
    }
  }
  return (
    <fieldset>
      <legend>
        <Label field={field} />
      </legend>
      <ul class="listed changes">
        {value.map((change, index) => (
          <li key={index}>
            <Changed
              change={change}
              onChange={(changed) => onValue(value.map((one, at) => (at === index ? changed : one)))}
            />
            <button type="button" class="plain" onClick={() => onValue(value.filter((_, at) => at !== index))}>
              {say("table.change.remove")}
            </button>
          </li>
        ))}
      </ul>
      <label>
        <span>{say("table.change.add")}</span>
        <select value="" onChange={({ currentTarget }) => add(currentTarget.value)}>
          <option value="">{say("table.choose")}</option>
          {possible.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}

/** A change that can be made, in words, and the event before which it is made. */
interface Candidate {
  name: string;
  change: Change;
  before: number | null;
}

function candidates(): Candidate[] {
  return [...entered.value.map(redrawn), ...actions()];
}

function redrawn({ id, outcome, before }: Entered): Candidate {
  const name = say("table.change.redraw", { draw: plainId(id), outcome: named(outcome) });
  return { name, change: { redraw: { id: plainId(id), outcome } }, before };
}

/** Actions that are on record: what counts can be struck, what does not can be admitted. */
function actions(): Candidate[] {
  const here = new Set(openPhase(live.value));
  const found = live.value.flatMap((line, index) => {
    if (line.type !== "match.action-received.1") return [];
    const one = candidate(line, live.value[index + 1]);
    return [here.has(line) && several() ? one : { ...one, before: publicOfBatch(live.value, index, isPublic) }];
  });
  return found.slice(-LATEST).reverse();
}

function several(): boolean {
  return (seen.value?.view.awaiting.seats.length ?? 0) > 1;
}

function candidate(line: AnyLine, next: AnyLine | undefined): Candidate {
  const no = next?.type === "match.submission-invalid.1" || next?.type === "match.action-refused.1";
  const values = { number: numbersOf(line), what: told(line) };
  const change = no ? { admit: line.seq } : { strike: line.seq };
  return { name: say(no ? "table.change.admit" : "table.change.strike", values), change, before: null };
}

function same(one: Change, other: Change): boolean {
  return one.redraw?.id === other.redraw?.id && one.strike === other.strike && one.admit === other.admit;
}

/** A change in words; a draw is tapped in again. */
function Changed({ change, onChange }: { change: Change; onChange(change: Change): void }): VNode {
  const { redraw } = change;
  if (redraw === undefined) return <p>{changeName(change)}</p>;
  const draw = entered.value.find((one) => plainId(one.id) === redraw.id);
  if (draw === undefined) return <p>{changeName(change)}</p>;
  return (
    <div>
      <p>
        {say("table.change.was", { draw: redraw.id, outcome: named(draw.outcome) })}
      </p>
      <Anew draw={draw} outcome={redraw.outcome} onOutcome={(outcome) => onChange({ redraw: { id: redraw.id, outcome } })} />
    </div>
  );
}

interface AnewProps {
  draw: Entered;
  outcome: Entered["outcome"];
  onOutcome(outcome: Entered["outcome"]): void;
}

/** A draw's outcome, tapped in again; what is not whole yet is kept as far as it goes. */
function Anew({ draw, outcome, onOutcome }: AnewProps): VNode {
  const taps: Tap[] = tapsOf(draw.parts, outcome);
  function tapped(given: Tap[]): void {
    onOutcome(outcomeOf(draw.parts, given) ?? (partly(draw, given) as Entered["outcome"]));
  }
  return <Pad parts={draw.parts} taps={taps} onTaps={tapped} />;
}

/** As much of an outcome as was tapped: the service refuses it until it is whole. */
function partly({ parts }: Entered, taps: Tap[]): unknown[] {
  const left = [...taps];
  return parts.flatMap((part): (Tap | Tap[])[] => {
    if (part.kind !== "shuffle") return left.splice(0, 1);
    const order = left.splice(0, Math.max(0, part.items.length - 1));
    return order.length > 0 ? [order] : [];
  });
}

/** A change in words. */
export function changeName({ redraw, strike, admit }: Change): string {
  if (redraw !== undefined) return say("table.change.redraw", { draw: redraw.id, outcome: named(redraw.outcome) });
  const number = strike ?? admit;
  const line = live.value.find((one) => one.seq === number);
  const what = line === undefined ? "" : told(line);
  return say(strike === undefined ? "table.change.admit" : "table.change.strike", { number: numbers(number ?? 0), what });
}

