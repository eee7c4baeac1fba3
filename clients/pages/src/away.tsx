/** What a page says while the service cannot be reached, or the browser keeps nothing. */
import type { VNode } from "preact";
import { say } from "./given.js";
import { Notice } from "./parts.js";
import { away } from "./service.js";
import { unkept } from "./storage.js";

export function Away(): VNode {
  return (
    <>
      {away.value && <Notice>{say("match.cut")}</Notice>}
      <Unkept />
    </>
  );
}

/** What a page says while the browser does not keep what it is given. */
export function Unkept(): VNode | null {
  return unkept.value ? <Notice>{say("key.unkept")}</Notice> : null;
}
