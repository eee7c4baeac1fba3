/** The invitation of somebody who helps to run an event: they take the key of the link when they say so, and nobody else has it from then on. */
import { ArbiterError, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Form } from "../form.js";
import { say } from "../given.js";
import { leaveLink } from "../key_link.js";
import { keep } from "../keys.js";
import { renewed } from "../renewal.js";
import { service } from "../service.js";
import { Refusal } from "../trouble.js";
import { bearer, type Bearer } from "./bearer.js";
import { madeOwn } from "./own_key.js";

interface Props {
  id: string;
  /** The key of the link. */
  by: Bearer;
  given(by: Bearer): void;
}

export function StaffInvitation({ id, by, given }: Props): VNode {
  const name = useSignal("");
  useEffect(() => {
    document.getElementById("for-whom")?.scrollIntoView();
    void nameOf(id, by).then((found) => (name.value = found), reportError);
  }, []);
  async function take(fields: FormData): Promise<void> {
    keep(by.purpose, by.key, fields.get("device") !== null);
    const key = await renewed(by.purpose, by.key).catch(explained);
    leaveLink();
    madeOwn.value = key;
    given(bearer(id, key) ?? by);
  }
  return (
    <Form label={say("tournament.invitation.take")} send={take} kept>
      <p>{say(`tournament.invitation.${by.role}`, { name: name.value })}</p>
      <label class="tick">
        <input type="checkbox" name="device" defaultChecked />
        {say("key.on_device")}
      </label>
    </Form>
  );
}

/** Whose key it is: moderators are public, organisers know each other. Nobody's where the key has ended. */
async function nameOf(id: string, { role, number, arbiter }: Bearer): Promise<string> {
  if (role === "moderator") return (await service().tournament(id).view()).moderators.find((one) => one.moderator === number)?.name ?? "";
  try {
    const { data } = await arbiter.request<Schemas["OrganiserList"]>(`/tournaments/${id}/organisers`);
    return data.organisers.find((one) => one.organiser === number)?.name ?? "";
  } catch (error) {
    if (error instanceof ArbiterError && error.status === 401) return "";
    throw error;
  }
}

function explained(error: unknown): never {
  throw error instanceof ArbiterError && error.status === 401 ? new Refusal(say("tournament.invitation.used")) : error;
}
