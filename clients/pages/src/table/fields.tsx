/** The form of a ruling, from what the description says of its fields. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { locale, say } from "../given.js";
import { Label, type Entry } from "./label.js";
import { Changes, Point, TypedPoint } from "./rewinding.js";
import { audienceName } from "./seats.js";
import { desk, openCases, rulings, seen } from "./state.js";
import { named, valueName } from "./words.js";

type Drawn = (entry: Entry<never>) => VNode;

/** What is easier to choose than to write, by the name of the field. */
const CHOSEN: Record<string, Drawn> = {
  before: Point as Drawn,
  before_public: TypedPoint as Drawn,
  changes: Changes as Drawn,
  result: ResultField as Drawn,
  seat: ((entry: Entry<number>) => <Choice {...entry} choices={seats()} />) as Drawn,
  to: ((entry: Entry<string>) => <Choice {...entry} choices={audiences()} />) as Drawn,
  case: ((entry: Entry<string>) => <Choice {...entry} choices={casesOpen()} />) as Drawn,
  appeals: ((entry: Entry<string>) => <Choice {...entry} choices={earlier()} />) as Drawn,
};

/** A field with its label. */
export function FieldOf({ field, value, onValue }: Entry): VNode {
  const Chosen = CHOSEN[field.name] ?? (Plain as Drawn);
  return <Chosen field={field} value={value as never} onValue={onValue as (value: unknown) => void} />;
}

function Plain(entry: Entry): VNode {
  const { type, enum: values } = entry.field.schema;
  if (values !== undefined) {
    return <Choice {...(entry as Entry<string>)} choices={values.map((one) => [one, valueName(entry.field.name, one)])} />;
  }
  if (type === "boolean") return <Tick {...(entry as Entry<boolean>)} />;
  if (type === "integer") return <Whole {...(entry as Entry<number>)} />;
  return <Written {...(entry as Entry<string>)} />;
}

export type Choices = [value: string | number, label: string][];

/** One of several. */
export function Choice<Value extends string | number>({ field, value, onValue, choices }: Entry<Value> & { choices: Choices }): VNode {
  return (
    <label>
      <Label field={field} />
      <select
        required={field.required}
        value={String(value ?? field.schema.default ?? "")}
        onChange={({ currentTarget }) =>
          onValue(choices.find(([one]) => String(one) === currentTarget.value)?.[0] as Value | undefined)
        }
      >
        {field.schema.default == null && <option value="">{say(field.required ? "table.choose" : "nothing")}</option>}
        {choices.map(([one, label]) => (
          <option key={one} value={String(one)}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function Tick({ field, value, onValue }: Entry<boolean>): VNode {
  return (
    <label class="tick">
      <input type="checkbox" checked={value ?? false} onChange={({ currentTarget }) => onValue(currentTarget.checked)} />{" "}
      <Label field={{ ...field, required: true }} />
    </label>
  );
}

function Whole({ field, value, onValue }: Entry<number>): VNode {
  const { minimum, maximum } = field.schema;
  const given = ({ value: text }: HTMLInputElement) => onValue(text === "" ? undefined : Number(text));
  return (
    <label>
      <Label field={field} />
      <input type="number" step={1} min={minimum} max={maximum} required={field.required} value={value ?? ""} onInput={({ currentTarget }) => given(currentTarget)} />
    </label>
  );
}

const LONG = 200;

function Written({ field, value, onValue }: Entry<string>): VNode {
  const { maxLength, format } = field.schema;
  const given = { required: field.required, maxLength, value: value ?? "" };
  if (format === "date-time") return <Instant field={field} value={value} onValue={onValue} />;
  return (
    <label>
      <Label field={field} />
      {(maxLength ?? 0) > LONG ? (
        <textarea rows={2} {...given} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
      ) : (
        <input {...given} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
      )}
    </label>
  );
}

/** An instant in the reader's own time zone. */
function Instant({ field, onValue }: Entry<string>): VNode {
  const given = ({ value }: HTMLInputElement) => onValue(value === "" ? undefined : new Date(value).toISOString());
  return (
    <label>
      <Label field={field} />
      <input type="datetime-local" required={field.required} onInput={({ currentTarget }) => given(currentTarget)} />
    </label>
  );
}

type Result = Schemas["RuledResult"];

/** Who wins, and with how much each. */
function ResultField({ field, value, onValue }: Entry<Result>): VNode {
  const names = seen.value?.view.seats ?? [];
  const known = seen.value?.view.result?.scores;
  const given: Result = value ?? { winners: [], losers: names.map((_, seat) => seat), shared: false, scores: names.map((_, seat) => known?.[seat] ?? 0) };
  const { winners, scores, shared } = given;
  useEffect(() => onValue(given), []);
  // Of two one wins, unless they share it.
  const excludes = names.length === 2 && !shared;
  function won(seat: number, wins: boolean): void {
    if (wins && excludes) return changed([seat], shared, scores);
    changed(names.map((_, one) => one).filter((one) => (one === seat ? wins : winners.includes(one))), shared, scores);
  }
  function changed(winners: number[], shared: boolean, scores: number[]): void {
    const losers = shared ? [] : names.map((_, seat) => seat).filter((seat) => !winners.includes(seat));
    onValue({ winners, losers, shared, scores });
  }
  return (
    <fieldset>
      <legend>
        <Label field={field} />
      </legend>
      {names.map((name, seat) => (
        <div class="row result" key={seat}>
          <label class="tick">
            <input type={excludes ? "radio" : "checkbox"} name={excludes ? "winner" : undefined} checked={winners.includes(seat)} onChange={({ currentTarget }) => won(seat, currentTarget.checked)} />{" "}
            <span>{say("table.result.wins", { name })}</span>
          </label>
          <label class="score">
            <span>{say("table.result.score", { name })}</span>
            <input
              type="number"
              step={1}
              value={scores[seat] ?? 0}
              onInput={({ currentTarget }) => changed(winners, shared, scores.map((one, at) => (at === seat ? Number(currentTarget.value) : one)))}
            />
          </label>
        </div>
      ))}
      <label class="tick">
        <input type="checkbox" checked={shared} onChange={({ currentTarget: { checked } }) => changed(checked || winners.length < 2 ? winners : [], checked, scores)} />{" "}
        <span>{say("table.result.shared")}</span>
      </label>
    </fieldset>
  );
}

function seats(): Choices {
  return (seen.value?.view.seats ?? []).map((name, seat) => [seat, name]);
}

/** All that a note can be for. */
function audiences(): Choices {
  return ["public", ...seats().map(([seat]) => `seat:${seat}`), "sealed"].map((one) => [one, audienceName(one)]);
}

const near = new Intl.DateTimeFormat(locale, { timeStyle: "short" });

function casesOpen(): Choices {
  return openCases.value.map((one) => [one.case, `${near.format(new Date(one.opened))} · ${shortened(one.statements[0]?.says ?? "")}`]);
}

function earlier(): Choices {
  const done = rulings.value.filter((one) => one.ruling !== null && one.status === "carried_out");
  return done.map((one) => [one.ruling ?? "", `${named(one.kind)} · ${shortened(one.reason)}`]);
}

const SHORT = 50;

export function shortened(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}

/** The kinds that somebody at this table rules. Who sees what is public alone cannot name what is undone. */
export function ruledHere(kind: string): boolean {
  return kind !== (desk.value?.role === "organiser" ? "rewind" : "confirm");
}

