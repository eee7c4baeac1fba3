/** The course of a dispute: what was said, who looked at what is hidden, and what was decided, in order of time. */
import type { Schemas } from "@arbiter/client";
import { micros } from "../instants.js";

export type Step = { at: string } & (
  | { kind: "said"; case: string; said: Schemas["Statement"]; opens: boolean }
  | { kind: "decided"; case: string; closing: Schemas["Closing"] }
  | { kind: "looked"; person: string | null; role: string }
  | { kind: "proposed" | "ruled"; ruling: Schemas["RulingShown"] }
);

interface Known {
  cases: readonly Schemas["CaseShown"][];
  rulings: readonly Schemas["RulingShown"][];
  /** Null if the reader is not told. */
  reads: readonly Schemas["ShownRead"][] | null;
}

/** Empty if nothing was disputed or ruled: then it is no story who has looked. */
export function storyOf({ cases, rulings, reads }: Known): Step[] {
  if (cases.length === 0 && rulings.length === 0) return [];
  const steps = [...cases.flatMap(inCase), ...rulings.flatMap(ofRuling), ...firstLooks(reads ?? [])];
  return steps.sort((one, other) => micros(one.at) - micros(other.at));
}

/** A closing by a ruling is the ruling's own step. */
function inCase({ case: id, statements, closings }: Schemas["CaseShown"]): Step[] {
  const said = statements.map((one, index): Step => ({ kind: "said", at: one.at, case: id, said: one, opens: index === 0 }));
  const noted = closings.filter(({ note }) => note !== null);
  return [...said, ...noted.map((closing): Step => ({ kind: "decided", at: closing.at, case: id, closing }))];
}

function ofRuling(ruling: Schemas["RulingShown"]): Step[] {
  const proposed = ruling.status === "pending" ? ruling.at : ruling.proposed;
  const steps: Step[] = proposed === undefined ? [] : [{ kind: "proposed", at: proposed, ruling }];
  return ruling.status === "carried_out" ? [...steps, { kind: "ruled", at: ruling.at, ruling }] : steps;
}

/** Of those who do not play: when each of them first looked. */
function firstLooks(reads: readonly Schemas["ShownRead"][]): Step[] {
  const looks = reads.filter(({ role, hidden }) => role !== "seat" && hidden !== false);
  const first = new Map<string, Schemas["ShownRead"]>();
  for (const one of looks) {
    const who = one.person ?? one.key_id ?? one.role;
    const known = first.get(who);
    if (known === undefined || micros(one.first) < micros(known.first)) first.set(who, one);
  }
  return [...first.values()].map(({ person, role, first: at }) => ({ kind: "looked", at, person, role }));
}
