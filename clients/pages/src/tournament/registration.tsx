/** Where someone enters a tournament by the link of its registration. */
import { newKey, type Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { keep } from "../keys.js";
import { service } from "../service.js";
import { tab } from "../storage.js";
import { bearer, type Bearer } from "./bearer.js";

/** How what stands behind the `#` of its link begins. */
export const REGISTER = "register-";

interface Props {
  id: string;
  token: string;
  given(by: Bearer): void;
}

export function Registration({ id, token, given }: Props): VNode {
  async function send(fields: FormData): Promise<string | void> {
    const said = await entered(id, { name: written(fields, "name"), token });
    if (!("key" in said)) return say("tournament.register.waiting", { number: said.waiting });
    const by = bearer(id, said.key);
    if (by === null) throw new TypeError("a registration gives a player's key");
    keep(by.purpose, by.key, fields.get("device") !== null);
    history.replaceState(null, "", location.pathname);
    given(by);
  }
  return (
    <Form label={say("tournament.register.send")} send={send} kept>
      <p>{say("tournament.register")}</p>
      <Field label={say("tournament.register.name")}>
        <input name="name" required maxLength={64} autoComplete="name" />
      </Field>
      <label class="tick">
        <input type="checkbox" name="device" defaultChecked />
        {say("key.on_device")}
      </label>
    </Form>
  );
}

/** The entry, under an idempotency key of this tab: with it the same person moves up on the list. */
async function entered(
  id: string,
  body: Schemas["NewEntry"],
): Promise<Schemas["RegisteredPlayer"] | Schemas["WaitingPlayer"]> {
  const name = `arbiter registration: tournament ${id}`;
  const idempotencyKey = tab.get(name) ?? newKey();
  tab.set(name, idempotencyKey);
  const sent = { method: "POST", body, headers: { "Idempotency-Key": idempotencyKey } } as const;
  return (await service().request<Schemas["RegisteredPlayer"]>(`/tournaments/${id}/registration/entries`, sent)).data;
}
