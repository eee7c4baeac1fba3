/** A field of a form: what it is called, and what it has. */
import type { VNode } from "preact";
import { isSaid, say } from "../given.js";
import { words } from "../parts.js";
import type { Field } from "./kinds.js";

export interface Entry<Value = unknown> {
  field: Field;
  value: Value | undefined;
  onValue(value: Value | undefined): void;
}

/** The name of a field, and what the description says of one that has no text here. */
export function Label({ field: { name, schema, required } }: { field: Field }): VNode {
  const known = isSaid(`table.field.${name}`);
  return (
    <span>
      {known ? say(`table.field.${name}`) : words(name)}
      {!required && schema.type !== "array" && <span class="quiet"> {say("table.optional")}</span>}
      {!known && schema.description !== undefined && <small lang="en"> {schema.description}</small>}
    </span>
  );
}
