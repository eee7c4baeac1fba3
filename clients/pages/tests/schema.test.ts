import type { Entry } from "@arbiter/client";
import { expect, test } from "vitest";
import { emptyOf, first, only, startOf } from "../src/game_form.js";
import { plain, type Schema } from "../src/schema.js";

test.each<[string, Schema, { schema: Schema; nullable: boolean }]>([
  ["as it is", { type: "string" }, { schema: { type: "string" }, nullable: false }],
  ["a reference", { $ref: "#/components/schemas/Seat" }, { schema: { type: "integer" }, nullable: false }],
  ["a reference with words of its own", { $ref: "#/$defs/Seat", title: "Who" }, { schema: { type: "integer", title: "Who" }, nullable: false }],
  ["or null", { anyOf: [{ $ref: "x/Seat" }, { type: "null" }] }, { schema: { type: "integer" }, nullable: true }],
  ["one kind alone", { anyOf: [{ type: "string" }] }, { schema: { type: "string" }, nullable: false }],
  ["several kinds stay", { anyOf: [{ type: "string" }, { type: "integer" }] }, { schema: { anyOf: [{ type: "string" }, { type: "integer" }] }, nullable: false }],
])("a schema is plain: %s", (_, schema, expected) => {
  expect(plain(schema, { Seat: { type: "integer" } })).toEqual(expected);
});

test("a reference to nothing is said", () => {
  expect(() => plain({ $ref: "#/$defs/Gone" })).toThrow("There is no schema #/$defs/Gone");
});

test.each<[Schema, unknown]>([
  [{ anyOf: [{ type: "integer" }, { type: "null" }] }, null],
  [{ type: "array" }, []],
  [{ const: 3 }, 3],
  [{ enum: ["a"] }, "a"],
  [{ enum: ["a", "b"] }, "a"],
  [{ type: "integer", minimum: 2 }, 2],
  [{ type: "string" }, undefined],
])("a field of %j begins with %j", (schema, value) => {
  expect(first(schema)).toEqual(value);
});

test("only one value is no choice", () => {
  expect([only({ enum: [1] }), only({ enum: [1, 2] }), only({ const: 0 })]).toEqual([1, undefined, 0]);
});

test("a form begins with the first example, and with what it leaves out", () => {
  const properties = { type: { const: "bid" }, count: { type: "integer", minimum: 1 }, face: { type: "integer", minimum: 2 } };
  const entry = { type: "bid", exact: true, schema: { properties }, examples: [{ type: "bid", face: 5 }] };
  expect(startOf(entry as unknown as Entry)).toEqual({ count: 1, face: 5 });
});

test("a vote begins with nothing chosen", () => {
  const votes = { anyOf: [{ type: "array", items: { enum: [0, 1] } }, { type: "null" }] };
  const properties = { type: { const: "submit" }, a: votes, for: { enum: [0, 1] }, round: { const: 2 } };
  const entry = { type: "submit", exact: true, schema: { properties }, examples: [{ type: "submit", a: [1], for: 1, round: 2 }] };
  expect(emptyOf(entry as unknown as Entry)).toEqual({ a: null, for: undefined, round: 2 });
});
