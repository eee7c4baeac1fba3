/** What a page says while the service cannot be reached, or the browser keeps nothing. */
import type { VNode } from "preact";
import { say } from "./given.js";
import { Notice } from "./parts.js";
import { away } from "./service.js";
import { Unkept } from "./unkept.js";

export function Away(): VNode {
  return (
    <>
      {away.value && <Notice>{say("match.cut")}</Notice>}
      <Unkept />
    </>
  );
}
