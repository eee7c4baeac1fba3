/** Fields for what a JSON Schema describes (2020-12, as far as the service uses it), and their value. */
import type { VNode } from "preact";
import { Choice, Field, written, type ControlAttributes } from "./form.js";
import { isSaid, say } from "./given.js";
import { words } from "./parts.js";
import { plain, type Schema, type Schemas } from "./schema.js";

/** What a field is of: its schema, the name that it has in the form, and the length of lists of open length. */
interface Part {
  schema: Schema;
  known: Schemas;
  name: string;
  length: number;
}

const USUAL = "";

function fixedLength({ minItems, maxItems }: Schema, open: number): number {
  return minItems !== undefined && minItems === maxItems ? minItems : open;
}

/** An option, or one of its values, in words: by the text `option.<name>` if there is one. */
function named(path: string): string {
  const text = `option.${path}`;
  return isSaid(text) ? say(text) : words(path.slice(path.lastIndexOf(".") + 1));
}

/** The path of an option by the name of its field: without the form's own part and numbers of entries. */
function option(name: string): string {
  return name.split(".").filter((step) => step !== "option" && !/^\d+$/.test(step)).at(-1) ?? "";
}

/** Fields for each property. Lists of open length, as of one entry a seat, have `length` entries. */
export function SchemaFields({ schema, length }: { schema: Schema; length: number }): VNode {
  return <Properties part={whole(schema, length)} />;
}

/** What was filled in; what was left as usual is left out. */
export function filledIn(schema: Schema, fields: FormData, length: number): Record<string, unknown> {
  return (objectOf(whole(schema, length), fields) ?? {}) as Record<string, unknown>;
}

function whole(schema: Schema, length: number): Part {
  const known = schema.$defs ?? {};
  return { schema: plain(schema, known).schema, known, name: "option", length };
}

function Properties({ part }: { part: Part }): VNode {
  return (
    <div class="fields-of">
      {Object.entries(part.schema.properties ?? {}).map(([name, schema]) => (
        <Property key={name} label={named(name)} part={inner(part, schema, name)} />
      ))}
    </div>
  );
}

function inner(part: Part, schema: Schema, name: string | number): Part {
  return { ...part, schema, name: `${part.name}.${name}` };
}

/** What to know about an option: by the text `option.<name>.about`, or in English, as its game says it. */
function about({ name, schema }: Part): { hint?: string | undefined; hintIn?: string } {
  const text = `option.${option(name)}.about`;
  return isSaid(text) ? { hint: say(text) } : { hint: schema.description, hintIn: "en" };
}

function Property({ part, label }: { part: Part; label: string }): VNode {
  const { schema, nullable } = plain(part.schema, part.known);
  const own = { ...part, schema };
  const { hint, hintIn } = about(own);
  if (schema.type === "object" || schema.type === "array") {
    return (
      <fieldset>
        <legend>{label}</legend>
        {hint !== undefined && (
          <small class="quiet" lang={hintIn}>
            {hint}
          </small>
        )}
        {schema.type === "object" ? <Properties part={own} /> : <Entries part={own} />}
        {nullable && (
          <label class="tick">
            <input type="checkbox" name={`${part.name}.null`} /> {say("organise.unlimited")}
          </label>
        )}
      </fieldset>
    );
  }
  return (
    <Field label={label} hint={hint} hintIn={hintIn}>
      <Single part={own} />
    </Field>
  );
}

function Entries({ part }: { part: Part }): VNode {
  const items = plain(part.schema.items ?? {}, part.known).schema;
  const several = Array.from({ length: fixedLength(part.schema, part.length) }, (_, index) => index);
  return (
    <div class="entries">
      {several.map((index) => {
        const entry = inner(part, items, index);
        return items.type === "array" ? (
          <Ticks key={index} part={entry} index={index} />
        ) : (
          <label key={index} class="entry">
            <span>{index}</span>
            <Single part={entry} />
          </label>
        );
      })}
    </div>
  );
}

function Ticks({ part, index }: { part: Part; index: number }): VNode {
  const items = plain(part.schema.items ?? {}, part.known).schema;
  return (
    <div role="group" aria-label={String(index)} class="entry">
      <span>{index}</span>
      {(items.enum ?? []).map((value) => (
        <label key={value} class="tick">
          <input type="checkbox" name={part.name} value={value} /> {named(`${option(part.name)}.${value}`)}
        </label>
      ))}
    </div>
  );
}

function Single({ part: { schema, name }, ...more }: { part: Part } & ControlAttributes): VNode {
  const inWords = (value: unknown): string =>
    typeof value === "boolean" ? say(value ? "yes" : "no") : named(`${option(name)}.${value}`);
  const usual = usually(schema.default, inWords);
  const values: unknown[] | undefined = schema.type === "boolean" ? [true, false] : schema.enum;
  if (values !== undefined) {
    const others = values.filter((one) => one !== schema.default);
    return <Choice {...more} name={name} of={[[USUAL, usual], ...others.map((one): [string, string] => [String(one), inWords(one)])]} />;
  }
  if (schema.type === "integer") {
    return <input {...more} type="number" name={name} min={schema.minimum} max={schema.maximum} placeholder={usual} />;
  }
  return <input {...more} type="text" name={name} pattern={schema.pattern} placeholder={usual} autocomplete="off" />;
}

/** What holds if nothing is filled in. */
function usually(value: unknown, inWords: (value: unknown) => string): string {
  if (value === undefined) return say("organise.usual");
  if (value === null) return say("organise.unlimited");
  return typeof value === "number" ? String(value) : inWords(value);
}

function valueOf(part: Part, fields: FormData): unknown {
  const { schema, nullable } = plain(part.schema, part.known);
  const own = { ...part, schema };
  if (nullable && fields.has(`${part.name}.null`)) return null;
  if (schema.type === "object") return objectOf(own, fields);
  if (schema.type === "array") return listOf(own, fields);
  const text = written(fields, part.name);
  if (text === USUAL) return undefined;
  if (schema.type === "boolean") return text === "true";
  return schema.type === "integer" ? Number(text) : text;
}

function objectOf(part: Part, fields: FormData): unknown {
  const every = Object.entries(part.schema.properties ?? {});
  const given = every.map(([name, schema]): [string, unknown] => [name, valueOf(inner(part, schema, name), fields)]);
  const filled = given.filter(([, value]) => value !== undefined);
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

function listOf(part: Part, fields: FormData): unknown[] | undefined {
  const items = plain(part.schema.items ?? {}, part.known).schema;
  const names = Array.from({ length: fixedLength(part.schema, part.length) }, (_, index) => inner(part, items, index));
  const values =
    items.type === "array" ? names.map((one) => fields.getAll(one.name)) : names.map((one) => valueOf(one, fields));
  const empty = values.every((one) => one === undefined || (Array.isArray(one) && one.length === 0));
  return empty ? undefined : values.filter((one) => one !== undefined);
}
