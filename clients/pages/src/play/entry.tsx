/** One entry of the menu: buttons where one press says it all, and otherwise a form. */
import type { Entry, View } from "@arbiter/client";
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { emptyOf, fieldsOf, only, startOf, type Values } from "../game_form.js";
import { isSaid, say } from "../given.js";
import type { Schema } from "../schema.js";
import type { Doing } from "./doings.js";
import { Field } from "./fields.js";
import { Chosen, labelOf, titleOf, type Speech } from "./words.js";

/** More choices than this do not stand side by side as buttons. */
const BUTTONS = 12;

export interface EntryProps {
  of: Speech;
  entry: Entry;
  /** Those that its form covers besides. */
  others: readonly Entry[];
  view: View;
  /** Whether the menu has nothing else. */
  alone: boolean;
  /** What was wrong with the fields, by their names. */
  errors: Record<string, string>;
  /** Whether one tap sends it: not the second half of a double tap, which was meant for what stood there before. */
  oneTap: boolean;
  choose(action: Doing): void;
  send(action: Doing): void;
}

/** Sends it, or has it looked at once more. */
function done({ oneTap, choose, send }: EntryProps, action: Doing, taps: number): void {
  if (oneTap && taps <= 1) send(action);
  else choose(action);
}

export function MenuEntry(props: EntryProps): VNode {
  const { of, entry } = props;
  const fields = Object.entries(fieldsOf(entry));
  const open = fields.filter(([, schema]) => only(schema) === undefined);
  const own = of.forms.forms?.[entry.type];
  const quick = own === undefined && entry.exact && open.length <= 1 && open.every(([, { enum: values }]) => values !== undefined && values.length <= BUTTONS);
  return (
    <section class="entry" data-single={quick && fields.length === 0}>
      <h3>{titleOf(of.game, entry)}</h3>
      <p class="hint">{described(of.game, entry)}</p>
      {quick ? <Buttons {...props} fields={fields} /> : <EntryForm {...props} />}
    </section>
  );
}

/** What the action is for: in the menu's own words where nobody has translated them. */
function described(game: string, { type, description }: Entry): string {
  const name = `play.${game}.${type}.about`;
  return isSaid(name) ? say(name) : description;
}

/** A button for each action that is possible. */
function Buttons({ fields, ...props }: EntryProps & { fields: [string, Schema][] }): VNode {
  const { of, entry, oneTap } = props;
  const fixed = Object.fromEntries(fields.map(([name, schema]) => [name, only(schema)]));
  const [name, schema] = fields.find(([, one]) => only(one) === undefined) ?? fields[0] ?? [null, {}];
  const values = name === null ? [undefined] : (schema.enum ?? [schema.const]);
  return (
    <div class="choices">
      {props.alone && values.length === 1 && <p class="only-move">{say("play.only_move")}</p>}
      {values.map((value) => (
        <button
          key={String(value)}
          type="button"
          data-sends={oneTap}
          onClick={({ detail }) => done(props, { ...fixed, ...(name === null ? {} : { [name]: value }), type: entry.type }, detail)}
        >
          {name === null ? titleOf(of.game, entry) : <Chosen of={of} field={`${entry.type}.${name}`} value={value} />}
        </button>
      ))}
    </div>
  );
}

/** The fields, with the first example filled in unless the game begins with nothing; a game's own form for them if it brings one. */
function EntryForm(props: EntryProps): VNode {
  const { of, entry, others, view, errors, oneTap } = props;
  const [values, set] = useState<Values>(() => (of.forms.startsEmpty === true ? emptyOf(entry) : startOf(entry)));
  const fields = fieldsOf(entry);
  const Own = of.forms.forms?.[entry.type];
  const taps = useRef(1);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        done(props, { ...values, type: entry.type }, taps.current);
        taps.current = 1;
      }}
    >
      {Own !== undefined ? (
        <Own fields={fields} entries={[fields, ...others.map(fieldsOf)]} values={values} set={set} view={view} />
      ) : (
        Object.entries(fields).map(([name, schema]) => (
          <OneField
            key={name}
            of={of}
            type={entry.type}
            name={name}
            schema={schema}
            error={errors[name]}
            value={values[name]}
            set={(value) => set({ ...values, [name]: value })}
          />
        ))
      )}
      {!entry.exact && Own === undefined && <p class="hint">{say("play.not_exact")}</p>}
      <button data-sends={oneTap} onClick={({ detail }) => (taps.current = detail)}>
        {titleOf(of.game, entry)}
      </button>
    </form>
  );
}

interface OneFieldProps {
  of: Speech;
  type: string;
  name: string;
  schema: Schema;
  error: string | undefined;
  value: unknown;
  set(value: unknown): void;
}

/** A field; what can have one value alone is only said. */
function OneField({ of, type, name, schema, error, value, set }: OneFieldProps): VNode | null {
  const label = labelOf(of.game, type, name, schema);
  const shown = (one: unknown) => <Chosen of={of} field={`${type}.${name}`} value={one} />;
  const hint = `play.${of.game}.${type}.${name}.about`;
  const fixed = only(schema);
  if (fixed === undefined) {
    return <Field label={label} hint={isSaid(hint) ? say(hint) : schema.description} {...{ error, schema, value, set, shown }} />;
  }
  if (fixed === null || fixed === false) return null;
  return (
    <p class="fixed">
      {label}: <b>{shown(fixed)}</b>
    </p>
  );
}
