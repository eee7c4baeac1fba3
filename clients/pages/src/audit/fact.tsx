/** A fact in a list of facts: what it is called, by the text `audit.<name>`, and what it is. */
import type { ComponentChildren, VNode } from "preact";
import { say } from "../given.js";

export function Fact({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{say(`audit.${name}`)}</dt>
      <dd>{children}</dd>
    </div>
  );
}
