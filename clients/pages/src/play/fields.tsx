/** Controls for the fields of an action, made from their JSON Schema alone. */
import type { ComponentChildren, VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { say } from "../given.js";
import { plain, type Schema } from "../schema.js";

/** More values than this are a list to choose from, fewer stand side by side. */
const SIDE_BY_SIDE = 12;

export interface FieldProps {
  label: string;
  hint?: string | undefined;
  /** What was wrong with it. */
  error?: string | undefined;
  schema: Schema;
  value: unknown;
  set(value: unknown): void;
  /** A value in words. */
  shown(value: unknown): ComponentChildren;
}

/** The control that fits the schema. */
export function Field(props: FieldProps): VNode {
  const { set } = props;
  const { schema, nullable } = plain(props.schema);
  if (nullable) return <MaybeField {...props} schema={schema} />;
  if (schema.type === "array") return <ListField {...props} />;
  if (schema.enum !== undefined) return <ChoiceField {...props} values={schema.enum} />;
  return (
    <Group {...props}>
      <Stepper {...props} value={Number(props.value)} set={set} low={schema.minimum} high={schema.maximum} />
    </Group>
  );
}

/** A field of several controls, with its name, what it is for, and what was wrong. */
export function Group({ label, hint, error, children }: Omit<FieldProps, "schema" | "value" | "set" | "shown"> & {
  children: ComponentChildren;
}): VNode {
  const id = useId();
  return (
    <fieldset class="field" aria-describedby={`${id} ${id}-error`}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <p class="hint" id={id}>
          {hint}
        </p>
      )}
      {children}
      <p class="wrong" id={`${id}-error`} aria-live="polite" lang="en">
        {error}
      </p>
    </fieldset>
  );
}

/** One of several values, side by side. */
export function Choice({ label, values, value, set, shown, off }: {
  label: string;
  values: readonly unknown[];
  value: unknown;
  /** Whether it cannot be chosen now. */
  off?(value: unknown): boolean;
  set(value: unknown): void;
  shown(value: unknown): ComponentChildren;
}): VNode {
  const name = useId();
  return (
    <div class="choice" role="radiogroup" aria-label={label}>
      {values.map((one) => (
        <label key={String(one)}>
          <input type="radio" name={name} required checked={one === value} disabled={off?.(one)} onChange={() => set(one)} />
          <span>{shown(one)}</span>
        </label>
      ))}
    </div>
  );
}

function ChoiceField(props: FieldProps & { values: unknown[] }): VNode {
  const { label, values, value, set } = props;
  if (values.length <= SIDE_BY_SIDE) {
    return (
      <Group {...props}>
        <Choice {...props} />
      </Group>
    );
  }
  return (
    <Group {...props}>
      <select aria-label={label} required onChange={(event) => set(values[event.currentTarget.selectedIndex - 1])}>
        <option value="" disabled selected={value === undefined} />
        {values.map((one) => (
          <option key={String(one)} selected={one === value}>
            {String(one)}
          </option>
        ))}
      </select>
    </Group>
  );
}

/** A number, one more or one less. What is typed and is none of them stays as it is: the form is not sent with it. */
export function Stepper({ label, value, set, low, high }: {
  label: string;
  value: number;
  set(value: number): void;
  low?: number | undefined;
  high?: number | undefined;
}): VNode {
  const [typed, type] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const range = useId();
  const put = (next: number) => {
    type(null);
    set(next);
  };
  // A browser calls what is no number an empty field: only it knows what is there.
  const isWrong = typed !== null && input.current?.validity.valid === false;
  return (
    <div class="stepper">
      <button type="button" aria-label={say("play.less", { what: label })} disabled={value <= (low ?? -Infinity)} onClick={() => put(value - 1)}>
        −
      </button>
      <input
        ref={input}
        type="number"
        inputMode="numeric"
        required
        step={1}
        aria-label={label}
        aria-invalid={isWrong}
        aria-describedby={range}
        value={typed ?? value}
        min={low}
        max={high}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onChange={({ currentTarget }) => currentTarget.validity.valid && put(currentTarget.valueAsNumber)}
      />
      <button type="button" aria-label={say("play.more", { what: label })} disabled={value >= (high ?? Infinity)} onClick={() => put(value + 1)}>
        +
      </button>
      {high !== undefined && Number.isFinite(high) && (
        <span class="hint" id={range}>
          {say("play.range", { low: low ?? 0, high })}
        </span>
      )}
    </div>
  );
}

/** A list that is made item by item, in order. */
function ListField(props: FieldProps): VNode {
  const { schema, set, shown, label } = props;
  const chosen = Array.isArray(props.value) ? (props.value as unknown[]) : [];
  const { items = {}, minItems = 0, maxItems = Infinity, uniqueItems = false } = schema;
  const full = chosen.length >= maxItems;
  return (
    <Group {...props}>
      <p class="hint">{say(minItems === maxItems ? "play.list.exactly" : "play.list.between", { count: chosen.length, low: minItems, high: maxItems })}</p>
      <div class="palette" role="group" aria-label={say("play.list.add", { what: label })}>
        {valuesOf(items).map((one) => (
          <button
            key={String(one)}
            type="button"
            class="plain"
            disabled={full || (uniqueItems && chosen.includes(one))}
            onClick={() => set([...chosen, one])}
          >
            {shown(one)}
          </button>
        ))}
      </div>
      <ol class="picked" aria-label={label}>
        {chosen.map((one, index) => (
          <li key={index}>
            {shown(one)}
            <button
              type="button"
              class="plain"
              aria-label={say("play.list.remove", { number: index + 1 })}
              onClick={() => set(chosen.filter((_, other) => other !== index))}
            >
              ×
            </button>
          </li>
        ))}
      </ol>
    </Group>
  );
}

/** The values that a schema allows, one by one. */
export function valuesOf({ const: fixed, enum: values, minimum = 0, maximum = 0 }: Schema): unknown[] {
  if (fixed !== undefined) return [fixed];
  return values ?? Array.from({ length: maximum - minimum + 1 }, (_, index) => minimum + index);
}

/** A field that may be left empty. */
function MaybeField(props: FieldProps): VNode {
  const { schema, value, set, label } = props;
  if (schema.type === "array") {
    return <ListField {...props} set={(list) => set((list as unknown[]).length === 0 ? null : list)} />;
  }
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={value !== null}
          onChange={(event) => set(event.currentTarget.checked ? (schema.enum?.[0] ?? schema.minimum ?? 0) : null)}
        />
        {label}
      </label>
      {value !== null && <Field {...props} />}
    </>
  );
}

/** How often each of several values is taken. */
export function Counts({ label, values, counts, most, each = Infinity, set, shown }: {
  label(value: number | string): string;
  values: readonly (number | string)[];
  counts: Map<number | string, number>;
  /** How many may be taken together, and of each value. */
  most: number;
  each?: number;
  set(counts: Map<number | string, number>): void;
  shown(value: unknown): ComponentChildren;
}): VNode {
  const taken = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return (
    <ul class="counts">
      {values.map((value) => {
        const count = counts.get(value) ?? 0;
        const high = Math.min(each, count + Math.max(0, most - taken));
        const put = (next: number) => set(new Map([...counts, [value, next]]));
        return (
          <li key={value} data-taken={count > 0}>
            <button type="button" class="plain" aria-label={say("play.more", { what: label(value) })} disabled={count >= high} onClick={() => put(count + 1)}>
              {shown(value)}
            </button>
            <output>{count}</output>
            <button type="button" class="plain" aria-label={say("play.less", { what: label(value) })} disabled={count <= 0} onClick={() => put(count - 1)}>
              −
            </button>
          </li>
        );
      })}
    </ul>
  );
}
