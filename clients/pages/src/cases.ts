/** The course of a case. */
import type { Schemas } from "@arbiter/client";

/** What was said and decided, in order of time: an appeal comes behind the decision that it attacks. */
export function inOrder({ statements, closings }: Schemas["CaseShown"]): (Schemas["Statement"] | Schemas["Closing"])[] {
  return [...statements, ...closings].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}
