/** Announcements to paste, and addresses for calendar programs. */
import type { Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Choice, Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { Moment } from "../parts.js";
import { watched } from "../service.js";
import { Refusal } from "../trouble.js";
import type { DeskProps } from "./desk_props.js";
import { Task } from "./task.js";
import { below } from "../root.js";

export function Announcements({ cup }: DeskProps): VNode {
  const text = useSignal("");
  const rounds = [...new Set(cup.pairings.map((one) => one.round))].sort((one, other) => other - one);
  async function announce(fields: FormData): Promise<void> {
    const path = below(`/v1/tournaments/${cup.shown.id}/rounds/${written(fields, "round")}/announcement`);
    text.value = await textAt(path);
  }
  return (
    <Task title={say("tournament.announce")}>
      {rounds.length === 0 ? (
        <p class="quiet">{say("tournament.no_matches")}</p>
      ) : (
        <Form label={say("tournament.announce.show")} send={announce} kept>
          <Field label={say("tournament.announce.round")}>
            <Choice name="round" of={rounds.map((one) => [String(one), String(one)])} />
          </Field>
        </Form>
      )}
      {text.value !== "" && (
        <Field label={say("tournament.announce.text")}>
          <textarea readOnly rows={12} value={text.value} onFocus={(event) => event.currentTarget.select()} />
        </Field>
      )}
    </Task>
  );
}

/** Throws a Refusal if it cannot be had. */
async function textAt(path: string): Promise<string> {
  try {
    const answer = await watched(path);
    if (answer.ok) return await answer.text();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new Refusal(say("trouble.lost"));
}

export function Calendars({ cup, by }: DeskProps): VNode {
  const listed = useSignal<Schemas["ShownCalendar"][]>([]);
  const link = useSignal("");
  async function read(): Promise<void> {
    const { data } = await by.arbiter.request<Schemas["CalendarList"]>("/calendars");
    listed.value = data.calendars.filter((one) => one.tournament === cup.shown.id);
  }
  async function make(fields: FormData): Promise<void> {
    const player = written(fields, "player");
    const whose = player === "" ? {} : { player: Number(player) };
    const body = by.role === "organiser" ? { tournament: cup.shown.id, ...whose } : {};
    const made = await by.arbiter.request<Schemas["MadeCalendar"]>("/calendars", { method: "POST", body });
    link.value = made.data.link ?? "";
    await read();
  }
  async function remove(id: string): Promise<void> {
    await by.arbiter.request(`/calendars/${id}`, { method: "DELETE" });
    await read();
  }
  useEffect(() => void read(), [by]);
  const players = cup.shown.players.map((one): [string, string] => [String(one.player), one.name]);
  return (
    <Task title={say("tournament.calendars")} count={listed.value.length}>
      <p class="quiet">{say("tournament.calendars.about")}</p>
      <Form label={say("tournament.calendars.make")} send={make}>
        {by.role === "organiser" && (
          <Field label={say("tournament.calendars.whose")}>
            <Choice name="player" of={[["", say("tournament.calendars.all")], ...players]} />
          </Field>
        )}
      </Form>
      {link.value !== "" && (
        <Field label={say("tournament.calendars.link")} hint={say("tournament.calendars.once")}>
          <input readOnly value={link.value} onFocus={(event) => event.currentTarget.select()} />
        </Field>
      )}
      <ul class="rows">
        {listed.value.map((one) => (
          <li key={one.id} class="run">
            <div>
              <bdi>{one.player === null ? say("tournament.calendars.all") : cup.shown.players[one.player]?.name}</bdi>{" "}
              <span class="quiet">
                <Moment at={one.since} />
              </span>
            </div>
            <Form label={say("tournament.calendars.remove")} send={() => remove(one.id)} />
          </li>
        ))}
      </ul>
    </Task>
  );
}
