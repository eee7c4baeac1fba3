/** The ruling that is being written, and its preview. */
import { effect, signal } from "@preact/signals";
import type { Schemas, View } from "@arbiter/client";
import { noteProposed } from "../proposed.js";
import { inputOf, publicOfBatch, type AnyLine } from "./lines.js";
import { hold } from "./new_keys.js";
import { about, ask, desk, entered, isPublic, live, openCases, readCases, readRulings, readView, rulings, seen, send } from "./state.js";

export type Kind = Schemas["RulingShown"]["kind"];
export type Fields = Readonly<Record<string, unknown>>;
export type Change = Schemas["Change"];

/** What a ruling would change, and what it is made from. */
export interface Previewed {
  shown: Schemas["Preview"];
  tag: string;
  /** As it is now, and where a rewind would leave the match: null for what does not go back. */
  now: View;
  point: View | null;
}

export const draft = signal<{ kind: Kind | null; fields: Fields }>({ kind: null, fields: {} });

/** What became of the last ruling, and how many were listed then. */
export const answered = signal<(Schemas["RulingAnswer"] & { listed: number; isSecond: boolean }) | null>(null);

// What was written goes with the key.
effect(() => {
  if (desk.value === null) [draft.value, answered.value] = [{ kind: null, fields: {} }, null];
});

// A case that is closed meanwhile, or is no longer theirs to decide, is not ruled on.
effect(() => {
  const { case: of, ...others } = draft.value.fields;
  if (of !== undefined && !openCases.value.some((one) => one.case === of)) draft.value = { ...draft.value, fields: others };
});

/** Begins a ruling, and shows its form. */
export function begin(kind: Kind | null, fields: Fields): void {
  [draft.value, answered.value] = [{ kind, fields: { ...theOpenCase(), ...fields } }, null];
  const form = document.getElementById("ruling");
  form?.scrollIntoView();
  form?.focus();
}

/** The case that is open, where it is the only one: what is ruled is most likely about it. */
function theOpenCase(): Fields {
  const [one, ...others] = openCases.value;
  return one !== undefined && others.length === 0 ? { case: one.case } : {};
}

/** A rewind to before what led to an event: a draw that was entered by hand is entered again. */
export function correctionOf(seq: number): Fields {
  const index = live.value.findIndex((line) => line.seq === seq);
  if (index === -1) return {};
  const input = inputOf(live.value, index);
  const draw = entered.value.find((one) => one.seq === live.value[input]?.seq);
  const before = publicOfBatch(live.value, input, isPublic) ?? undefined;
  if (draw === undefined) return { before };
  return { before, changes: [{ redraw: { id: plainId(draw.id), outcome: draw.outcome } }] };
}

/** The id that a draw has in every branch. */
export function plainId(id: string): string {
  return id.replace(/^b\d+\//, "");
}

/** What is sent: without what was left empty. */
export function bodyOf(kind: Kind | null, fields: Fields): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  return { kind, ...Object.fromEntries(given) };
}

/** Asks what a ruling would change, or seconding one. */
export async function preview(rest: string, body: Record<string, unknown>): Promise<Previewed> {
  const { data, headers } = await ask<Schemas["Preview"]>(rest, { method: "POST", body: { ...body, preview: true } });
  await readView();
  if (seen.value === null) throw new Error("A preview without a view");
  return { shown: data, tag: headers.get("ETag") ?? "", now: seen.value.view, point: data.position ?? null };
}

/** Carries out what was previewed, or proposes it. `body` is what is sent, and `order` what is ruled by it. */
export async function decide(rest: string, order: Fields, body: Fields | undefined, tag: string): Promise<void> {
  const answer = await send<Schemas["RulingAnswer"]>(rest, body, tag);
  answered.value = { ...answer, listed: rulings.value.length, isSecond: body === undefined };
  if (desk.value !== null) noteProposed(desk.value.purpose, `/matches/${about.match}${rest}`, answer);
  if (answer.kind === "replace_seat" && answer.status === "carried_out") {
    hold({ ruling: answer.ruling, name: String(order["name"]), key: answer.key ?? null });
  }
  await Promise.all([readView(), readRulings(), readCases()]);
}

/** The events that a preview names. */
export function linesOf(numbers: readonly number[]): AnyLine[] {
  const named = new Set(numbers);
  return live.value.filter((line) => named.has(line.seq));
}
