/** What the forms use of JSON Schema (2020-12). */

export interface Schema {
  $ref?: string;
  $defs?: Schemas;
  title?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: (string | number)[];
  anyOf?: Schema[];
  type?: string;
  format?: string;
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
}

/** Schemas by the last part of the references to them. */
export type Schemas = Record<string, Schema>;

/** A schema without its reference and without the null that is allowed too, and whether it is. */
export function plain(schema: Schema, known: Schemas = {}): { schema: Schema; nullable: boolean } {
  const { $ref, anyOf, ...own } = schema;
  if ($ref !== undefined) return plain({ ...referred($ref, known), ...own }, known);
  const kinds = anyOf?.filter((one) => one.type !== "null") ?? [];
  if (anyOf === undefined || kinds.length !== 1) return { schema, nullable: false };
  return { schema: { ...plain(kinds[0]!, known).schema, ...own }, nullable: kinds.length < anyOf.length };
}

function referred($ref: string, known: Schemas): Schema {
  const schema = known[$ref.slice($ref.lastIndexOf("/") + 1)];
  if (schema === undefined) throw new Error(`There is no schema ${$ref}`);
  return schema;
}
