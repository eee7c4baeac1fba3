/** Who has decided, as far as the reader of an event is told. */
import type { Schemas } from "@arbiter/client";

type Ruling = Pick<Schemas["TournamentRulingShown"], "kind" | "match" | "rule" | "by">;

/** The rule that is named where the service rules by itself, as its stage says. */
const BY_ITSELF = "absent: forfeit";

/** What an organiser rules alone; all else on an event takes another person. */
const ALONE: ReadonlySet<string> = new Set(["penalty", "seed", "candidates"]);

/** What a ruling says of the event itself or how it counts there: organisers make it, also where it names a match. */
const OF_EVENT: ReadonlySet<string> = new Set(["correct", "replace", "disqualify", "reinstate", ...ALONE]);

/** Their names, null for a key without one; or as what they decided, the name of a text. */
export function decidersOf({ kind, match, rule, by }: Ruling): readonly (string | null)[] | "service" | "match" | "organiser" | "two" {
  if (rule === BY_ITSELF) return "service";
  if (by !== undefined && by.length > 0) return by;
  if (match !== null && !OF_EVENT.has(kind)) return "match";
  return ALONE.has(kind) ? "organiser" : "two";
}

type Closing = Pick<Schemas["Closing"], "ruling" | "person">;

/** Who has closed a case, by a note or by a ruling, as far as its reader is told; null for a key without a name. */
export function closersOf({ ruling, person }: Closing, rulings: readonly Pick<Schemas["TournamentRulingShown"], "ruling" | "by">[]): readonly (string | null)[] {
  if (ruling != null) return rulings.find((one) => one.ruling === ruling)?.by ?? [];
  return person === undefined ? [] : [person];
}
