/** An appeal that waits: who can decide it, and what to do where nobody can. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { deciders } from "../cases.js";
import { say } from "../given.js";
import { joined, Notice } from "../parts.js";
import { InviteHere } from "./judges.js";
import { judges, rulings } from "./state.js";

export function Appeal({ of: one }: { of: Schemas["CaseShown"] }): VNode {
  const before = deciders(one, rulings.value);
  const able = judges.value.flatMap((name) => (name === null || before.includes(name) ? [] : [name]));
  const names = joined(before.map((name) => name ?? say("table.readers.unnamed")));
  return (
    <>
      <p>{say("table.case.appeal", { names })}</p>
      {able.length > 0 && <p>{say("table.case.appeal.can", { names: joined(able) })}</p>}
      {able.length === 0 && (
        <Notice>
          {say("table.case.appeal.nobody")} <InviteHere />
        </Notice>
      )}
    </>
  );
}
