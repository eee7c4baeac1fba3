/** The moderators of an event: their links, and the matches that they have. */
import { newKey, type Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { Form } from "../form.js";
import { say } from "../given.js";
import { handOut } from "../sheets.js";
import type { DeskProps } from "./desk_props.js";
import { Enter, keySheet } from "./people.js";
import { givable } from "./staff.js";
import { Task } from "./task.js";

export function Moderators(props: DeskProps): VNode {
  const { moderators } = props.cup.shown;
  return (
    <Task title={say("tournament.moderators")} count={moderators.length}>
      <p class="quiet">{say("desk.moderators.about")}</p>
      <ul class="rows">
        {moderators.map((one) => (
          <OneModerator key={one.moderator} {...props} of={one} />
        ))}
      </ul>
      <Enter {...props} what="moderators" />
    </Task>
  );
}

function OneModerator({ cup, by, changed, of: { moderator, name } }: DeskProps & { of: Schemas["Moderator"] }): VNode {
  const path = `/tournaments/${cup.shown.id}`;
  const missing = givable(cup, name);
  const count = cup.pairings.filter((one) => one.moderators.includes(name)).length;
  async function give(): Promise<void> {
    try {
      for (const { match } of missing) await by.arbiter.request(`${path}/matches/${match}/moderators`, { method: "POST", body: { moderator } });
    } finally {
      await changed();
    }
  }
  async function remove(): Promise<void> {
    await by.arbiter.request(`${path}/moderators/${moderator}`, { method: "DELETE" });
    await changed();
  }
  return (
    <li>
      <bdi>{name}</bdi> <span class="quiet">{say("desk.moderators.has", { count })}</span>
      {missing.length > 0 && (
        <>
          <p>{say("desk.moderators.missing", { count: missing.length, name })}</p>
          <Form label={say("desk.moderators.give", { count: missing.length })} send={give} />
        </>
      )}
      <NewLink cup={cup} by={by} kind="moderators" number={moderator} />
      <Form label={say("desk.organisers.remove")} grave send={remove} />
    </li>
  );
}

/** Another link in place of a lost one: with it the earlier key ends. */
export function NewLink({ cup, by, kind, number }: Pick<DeskProps, "cup" | "by"> & { kind: "moderators" | "organisers"; number: number }): VNode {
  async function make(): Promise<void> {
    const path = `/tournaments/${cup.shown.id}/${kind}/${number}/key`;
    const { data } = await by.arbiter.request<Schemas["ModeratorKey"] | Schemas["OrganiserKey"]>(path, { method: "POST", headers: { "Idempotency-Key": newKey() } });
    handOut(keySheet(kind, cup.shown, data));
  }
  return <Form label={say("desk.link")} send={make} />;
}
