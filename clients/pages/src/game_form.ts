/** How a game brings forms of its own to act with; without them they are made from the menu alone. */
import type { Entry, View } from "@arbiter/client";
import type { ComponentType, VNode } from "preact";
import { part } from "./part.js";
import { plain, type Schema } from "./schema.js";
import { below } from "./root.js";

/** What an action has beside its type. */
export type Values = Record<string, unknown>;

/** A form that is being filled in. */
export interface Filling {
  fields: Record<string, Schema>;
  /** The fields of each entry that the form covers; of the one alone unless the game says that it covers all. */
  entries: readonly Record<string, Schema>[];
  values: Values;
  set(values: Values): void;
  view: View;
}

/** What a file of `forms/`, named as its game, exports. */
export interface FormFile {
  /** The fields of actions, by their type. */
  forms?: Record<string, ComponentType<Filling>>;
  /** What an action is about, beside what it says itself: shown before it is sent. */
  about?: Record<string, ComponentType<{ view: View }>>;
  /** Values as the game draws them, by their fields, as `<type>.<field>`. */
  drawn?: Record<string, (value: never) => VNode>;
  /** The actions of which one form covers all entries. */
  whole?: readonly string[];
  /** The actions that one tap sends: what is cheap to see and hard to mistap, and neither sealed nor ends anything. */
  oneTap?: readonly string[];
  /** Whether forms begin with nothing chosen, not with an example: who is voted for is the player's own choice. */
  startsEmpty?: boolean;
  /** Fields whose values are seats, as `<type>.<field>`. */
  seats?: readonly string[];
}

/** The forms of a game, from the file that the page names; none without a file. */
export async function formsFrom(file: string | null): Promise<FormFile> {
  return file === null ? {} : await part(import(below(file)) as Promise<FormFile>);
}

/** The fields of an entry of a menu, without its type. */
export function fieldsOf(entry: Entry): Record<string, Schema> {
  const { type: _, ...fields } = (entry.schema as { properties: Record<string, Schema> }).properties;
  return fields;
}

/** The value of a field that can have no other; undefined if it can have several. */
export function only(schema: Schema): unknown {
  return schema.enum?.length === 1 ? schema.enum[0] : schema.const;
}

/** What a field begins with where the example says nothing. */
export function first(schema: Schema): unknown {
  if (plain(schema).nullable) return null;
  if (schema.type === "array") return [];
  return only(schema) ?? schema.enum?.[0] ?? schema.minimum;
}

/** Values that a form begins with where nothing is to be chosen for the player: a choice is undefined, and has to be made. */
export function emptyOf(entry: Entry): Values {
  const fields = Object.entries(fieldsOf(entry));
  return Object.fromEntries(fields.map(([name, schema]) => [name, only(schema) ?? (schema.enum === undefined ? first(schema) : undefined)]));
}

/** Values that a form begins with: the first example, and all that it leaves out. */
export function startOf(entry: Entry): Values {
  const { type: _, ...example } = (entry.examples[0] ?? {}) as Values;
  const fields = Object.entries(fieldsOf(entry));
  return Object.fromEntries(fields.map(([name, schema]) => [name, name in example ? example[name] : first(schema)]));
}
