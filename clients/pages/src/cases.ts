/** The course of a case. */
import type { Arbiter, Schemas, Sent } from "@arbiter/client";
import { micros } from "./instants.js";

/** What was said and decided, in order of time: an appeal comes behind the decision that it attacks. */
export function inOrder({ statements, closings }: Schemas["CaseShown"]): (Schemas["Statement"] | Schemas["Closing"])[] {
  return [...statements, ...closings].sort((one, other) => micros(one.at) - micros(other.at));
}

type Decided = Pick<Schemas["CaseShown"], "appealed" | "closings">;
type Ruled = Pick<Schemas["RulingShown"], "ruling" | "by">;

/** Who has decided a case so far, by a note or by the rulings that closed it; null for a key without a name. */
export function deciders({ closings }: Decided, rulings: readonly Ruled[]): (string | null)[] {
  const each = closings.flatMap(({ ruling, person = null }) => {
    return ruling == null ? [person] : (rulings.find((one) => one.ruling === ruling)?.by ?? []);
  });
  return [...new Set(each)];
}

/** Whether somebody may decide it: an appeal needs a name, and another person (/docs/cases#close-it). Undefined: the name is not known here. */
export function mayDecide(one: Decided, rulings: readonly Ruled[], name: string | null | undefined): boolean {
  return !one.appealed || (name !== null && !deciders(one, rulings).some((other) => other === name));
}

type Case = Schemas["CaseShown"];

/** Milliseconds until cases are read again, since no stream tells what is said in them: soon while one is open. */
export function untilNextRead(cases: readonly Case[]): number {
  return cases.some(({ status }) => status === "open") ? 3_000 : 15_000;
}

/** The cases at `path` with what was said in them. One that is closed, and is listed as it was, stands as it is `known`. */
export async function readCases(arbiter: Arbiter, path: string, known: readonly Case[], sent: Sent = {}): Promise<Case[]> {
  const listed = (await arbiter.pages<Schemas["CaseList"]>(path, sent)).flatMap((page) => page.cases);
  return Promise.all(
    listed.map(async (row) => {
      const before = known.find((one) => row.status === "closed" && isListedAs(one, row));
      return before ?? (await arbiter.request<Case>(`${path}/${row.case}`, sent)).data;
    }),
  );
}

function isListedAs(one: Case, row: Schemas["CaseSummary"]): boolean {
  return Object.entries(row).every(([name, value]) => JSON.stringify(one[name as keyof Case]) === JSON.stringify(value));
}
