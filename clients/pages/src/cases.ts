/** The course of a case. */
import type { Schemas } from "@arbiter/client";
import { micros } from "./instants.js";

/** What was said and decided, in order of time: an appeal comes behind the decision that it attacks. */
export function inOrder({ statements, closings }: Schemas["CaseShown"]): (Schemas["Statement"] | Schemas["Closing"])[] {
  return [...statements, ...closings].sort((one, other) => micros(one.at) - micros(other.at));
}
