/** The organisers of this event beside the one who has made it. */
import type { Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Form } from "../form.js";
import { say } from "../given.js";
import type { DeskProps } from "./desk_props.js";
import { NewLink } from "./moderators.js";
import { Enter } from "./people.js";
import { Task } from "./task.js";

export function Organisers(props: DeskProps): VNode {
  const { cup, by } = props;
  const known = useSignal<Schemas["OrganiserList"] | null>(null);
  const path = `/tournaments/${cup.shown.id}/organisers`;
  async function read(): Promise<void> {
    known.value = (await by.arbiter.request<Schemas["OrganiserList"]>(path)).data;
  }
  useEffect(() => void read().catch(reportError), [cup]);
  async function remove(number: number): Promise<void> {
    await by.arbiter.request(`${path}/${number}`, { method: "DELETE" });
    await read();
  }
  const appointed = known.value?.organisers ?? [];
  return (
    <Task title={say("desk.organisers")} count={appointed.length}>
      <p class="quiet">{say("desk.organisers.about", { name: known.value?.maker ?? say("desk.organisers.nameless") })}</p>
      <ul class="rows">
        {appointed.map(({ organiser, name }) => (
          <li key={organiser}>
            <bdi>{name}</bdi>
            <NewLink cup={cup} by={by} kind="organisers" number={organiser} />
            <Form label={say("desk.organisers.remove")} grave send={() => remove(organiser)} />
          </li>
        ))}
      </ul>
      <Enter {...props} what="organisers" />
    </Task>
  );
}
