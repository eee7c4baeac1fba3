/** The kinds of ruling and their fields, as the service's description has them. */
import { ConnectionLost } from "@arbiter/client";
import { plain, type Schema, type Schemas } from "../schema.js";
import { below } from "../root.js";

/** A field of a form. */
export interface Field {
  name: string;
  schema: Schema;
  required: boolean;
}

/** The fields of each kind of ruling, by its name. */
export type Kinds = ReadonlyMap<string, Field[]>;

interface Description {
  components: { schemas: Record<string, Schema & { discriminator?: { mapping: Record<string, string> } }> };
}

/** What the page says itself. */
const OWN = new Set(["kind", "preview"]);

let read: Promise<Kinds> | null = null;

/** Reads them once. Throws ConnectionLost. */
export function kinds(): Promise<Kinds> {
  read ??= fetchKinds().catch((error: unknown) => {
    read = null;
    throw error;
  });
  return read;
}

async function fetchKinds(): Promise<Kinds> {
  const { components } = await description();
  const { mapping } = components.schemas.NewRuling?.discriminator ?? { mapping: {} };
  const schemas = components.schemas;
  return new Map(Object.entries(mapping).map(([kind, $ref]) => [kind, fieldsOf(plain({ $ref }, schemas).schema, schemas)]));
}

async function description(): Promise<Description> {
  const answer = await fetch(below("/schema/openapi.json")).catch((cause: unknown) => {
    throw new ConnectionLost("The connection was lost", { cause });
  });
  if (!answer.ok) throw new ConnectionLost(`The description was answered ${answer.status}`);
  return (await answer.json()) as Description;
}

function fieldsOf({ properties = {}, required = [] }: Schema, known: Schemas): Field[] {
  const names = Object.keys(properties).filter((name) => !OWN.has(name));
  return names.map((name) => ({
    name,
    schema: plain(properties[name]!, known).schema,
    required: required.includes(name) || (properties[name]?.default ?? null) !== null,
  }));
}
