/** Who made a ruling, and which draws it corrected: as far as the record that is shown has it. */
import type { Line } from "./about.js";

/** The names are null for keys without one. What the record that is shown does not have is left out. */
export interface Made {
  proposed?: string | null;
  /** Who has seconded it. */
  seconded?: string | null;
  /** The seats that have consented, where nobody had to second it. */
  consents: number[];
}

/** A draw that a ruling has given another outcome, part by part. */
export interface Corrected {
  id: string;
  labels: string[];
  was: string[];
  is: string[];
}

/** The events of the input from which this one follows. */
function batchOf(lines: readonly Line[], line: Line): Line[] {
  const input = line.cause ?? line.seq;
  return lines.filter((one) => one.seq === input || one.cause === input);
}

/** Who gave an input. */
function giverOf(batch: readonly Line[]): string | null | undefined {
  return batch.find(({ type }) => type === "match.directed.1")?.data.by as string | null | undefined;
}

/** Who made the ruling of which this event tells that it is carried out. */
export function makersOf(lines: readonly Line[], ruled: Line): Made {
  const batch = batchOf(lines, ruled);
  const id = batch.find(({ type }) => type === "match.ruling-ordered.1")?.data.id;
  const proposal = lines.find(({ type, data }) => type === "match.ruling-proposed.1" && data.id === id);
  const last = giverOf(batch);
  if (id === undefined || proposal === undefined) return { ...(last === undefined ? {} : { proposed: last }), consents: [] };
  const first = giverOf(batchOf(lines, proposal));
  const consents = lines.filter(({ type, data }) => type === "match.ruling-consented.1" && data.id === id);
  return {
    ...(first === undefined ? {} : { proposed: first }),
    ...(last === undefined ? {} : { seconded: last }),
    consents: last === undefined ? consents.map(({ data }) => data.giver as number) : [],
  };
}

const SETTLED = /^match\.(sealed-)?draw-settled\./;

/** The draws that came out otherwise by the ruling of which this event tells. */
export function correctedBy(lines: readonly Line[], ruled: Line): Corrected[] {
  const anew = batchOf(lines, ruled).filter(({ type, data }) => SETTLED.test(type) && data.by === "ruling");
  return anew.flatMap((line) => {
    const id = plainId(line);
    const before = lines.filter((one) => one.seq < line.seq && SETTLED.test(one.type) && plainId(one) === id).at(-1);
    if (before === undefined) return [];
    const [is, was] = [outcomeOf(line), outcomeOf(before)];
    const differ = is.map((_, part) => part).filter((part) => is[part] !== was[part]);
    const labels = labelsOf(lines, before);
    const of = (all: string[]): string[] => differ.map((part) => all[part] ?? "");
    return differ.length === 0 ? [] : [{ id, labels: of(labels), was: of(was), is: of(is) }];
  });
}

/** The id that a draw has in every branch. */
function plainId({ data }: Line): string {
  return String(data.id).replace(/^b\d+\//, "");
}

function outcomeOf({ data }: Line): string[] {
  return (data.outcome as unknown[]).map((part) => (Array.isArray(part) ? part.join(" ") : String(part)));
}

/** What each part of a draw was called when it was asked for. */
function labelsOf(lines: readonly Line[], { seq, data }: Line): string[] {
  for (const line of lines.filter((one) => one.seq < seq).reverse()) {
    const draw = line.type === "match.awaiting-changed.1" ? line.data.draw : line.type === "match.draw-asked.1" ? line.data : null;
    const asked = draw as { id?: string | null; parts?: { label?: string }[] | null } | null;
    if (asked?.id === data.id && asked?.parts != null) return asked.parts.map(({ label }) => label ?? "");
  }
  return [];
}
