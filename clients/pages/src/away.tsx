/** What a page says while the service cannot be reached. */
import type { VNode } from "preact";
import { say } from "./given.js";
import { Notice } from "./parts.js";
import { away } from "./service.js";

export function Away(): VNode | null {
  return away.value ? <Notice>{say("match.cut")}</Notice> : null;
}
