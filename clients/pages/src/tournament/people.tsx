/** Entering players, and appointing staff. */
import { newKey, type Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { handOut, type Sheet } from "../sheets.js";
import type { DeskProps } from "./desk_props.js";
import { Task } from "./task.js";
import { below } from "../root.js";

type Kind = "players" | "moderators" | "organisers";
type Entered = Schemas["PlayerKey"] | Schemas["ModeratorKey"] | Schemas["OrganiserKey"];

/** The sheet of somebody's key of a tournament. */
export function keySheet(kind: Kind, tournament: { id: string; name: string }, entered: Entered): Sheet {
  const { name, key } = entered;
  const page = `/t/${tournament.id}`;
  const role = say(`tournament.sheet.${kind}`);
  // Staff make the key of their link their own; that of a player is what the organiser shows instead of a link.
  if ("link" in entered && entered.link !== null) return { name, role, of: tournament.name, link: entered.link, qr: entered.qr, hint: say("organise.sheet.staff") };
  const link = `${location.origin}${below(page)}`;
  const lost = key === null ? whatToDo(tournament.id, entered) : undefined;
  return { name, role, of: tournament.name, link, secret: key, lost };
}

/** A player can do without the key of the tournament, staff cannot. */
function whatToDo(tournament: string, entered: Entered): Sheet["lost"] {
  const path = `/v1/tournaments/${tournament}`;
  if ("moderator" in entered) return { request: `${path}/moderators/${entered.moderator}/key` };
  if ("organiser" in entered) return { request: `${path}/organisers/${entered.organiser}/key` };
  return { request: `${path}/players/${entered.player}/key`, meanwhile: say("organise.sheet.lost.player") };
}

/** One player, moderator or organiser more. */
export function Enter({ cup, by, changed, what }: DeskProps & { what: Kind }): VNode {
  async function enter(fields: FormData): Promise<string> {
    const garnets = Number(written(fields, "garnets"));
    const body = { name: written(fields, "name"), ...(what === "players" ? { garnets } : {}) };
    const headers = { "Idempotency-Key": newKey() };
    const path = `/tournaments/${cup.shown.id}/${what}`;
    const { data } = await by.arbiter.request<Entered>(path, { method: "POST", body, headers });
    handOut(keySheet(what, cup.shown, data));
    await changed();
    return say(what === "moderators" ? "tournament.entered.moderators" : "tournament.entered", { name: data.name });
  }
  return (
    <Task title={say(`tournament.enter.${what}`)}>
      <Form label={say("tournament.enter")} send={enter}>
        <div class="fields-of">
          <Field label={say("organise.name")}>
            <input name="name" required autocomplete="off" />
          </Field>
          {what === "players" && (
            <Field label={say("tournament.garnets")}>
              <input name="garnets" type="number" min={0} placeholder="0" />
            </Field>
          )}
        </div>
      </Form>
    </Task>
  );
}
