/** The invitation of a player: they take their key when they say so, and never by itself: programs open links, too. */
import { newKey, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Form } from "../form.js";
import { say } from "../given.js";
import { invitedNumber } from "../key_link.js";
import { keep } from "../keys.js";
import { service } from "../service.js";
import { tab } from "../storage.js";
import { bearer, type Bearer } from "./bearer.js";

interface Props {
  id: string;
  token: string;
  given(by: Bearer): void;
}

/** What stands behind the `#` of an invitation's link: no place in the page, to which a link of its own leads. */
export function invitation(): string {
  const rest = location.hash.slice(1);
  return document.getElementById(rest) === null ? rest : "";
}

export function Invitation({ id, token, given }: Props): VNode {
  const name = useSignal("");
  useEffect(() => void nameIn(id).then((found) => (name.value = found), reportError), []);
  async function take(fields: FormData): Promise<void> {
    const by = bearer(id, await accepted(id, token));
    if (by === null) throw new TypeError("an invitation gives a player's key");
    keep(by.purpose, by.key, fields.get("device") !== null);
    history.replaceState(null, "", location.pathname);
    given(by);
  }
  return (
    <Form label={say("tournament.invitation.take")} send={take} kept>
      <p>{say(name.value === "" ? "tournament.invitation" : "tournament.invitation.player", { name: name.value })}</p>
      <label class="tick">
        <input type="checkbox" name="device" defaultChecked />
        {say("key.on_device")}
      </label>
    </Form>
  );
}

/** Whose invitation it is, as the link says it. */
async function nameIn(id: string): Promise<string> {
  const number = invitedNumber("player");
  if (number === null) return "";
  return (await service().tournament(id).view()).players.find(({ player }) => player === number)?.name ?? "";
}

/** The key, under an idempotency key of this tab: with it the same key is given again, also after a reload. */
async function accepted(id: string, token: string): Promise<string> {
  const name = `arbiter invitation: tournament ${id}`;
  const [known, drawn] = JSON.parse(tab.get(name) ?? "[]") as [string?, string?];
  const idempotencyKey = known === token && drawn !== undefined ? drawn : newKey();
  tab.set(name, JSON.stringify([token, idempotencyKey]));
  const sent = { method: "POST", body: { token }, headers: { "Idempotency-Key": idempotencyKey } } as const;
  const path = `/tournaments/${id}/invitations/accept`;
  const { data } = await service().request<Schemas["InvitedPlayerKey"]>(path, sent);
  tab.remove(name);
  return data.key;
}
