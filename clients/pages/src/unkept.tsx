/** What a page says while the browser does not keep what it is given. */
import type { VNode } from "preact";
import { say } from "./given.js";
import { Notice } from "./parts.js";
import { unkept } from "./storage.js";

export function Unkept(): VNode | null {
  return unkept.value ? <Notice>{say("key.unkept")}</Notice> : null;
}
