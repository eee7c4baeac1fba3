/** Where somebody gives the page of a tournament a key, or takes the one that a link has for them. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { KeyForm } from "../key_form.js";
import { keyInLink } from "../key_link.js";
import { keep } from "../keys.js";
import { Refusal } from "../trouble.js";
import { bearer, type Bearer } from "./bearer.js";
import { Invitation, invitation } from "./invitation.js";
import { StaffInvitation } from "./staff_invitation.js";
import { REGISTER, Registration } from "./registration.js";

export function AskForKey({ id, about, given }: { id: string; about: string; given(by: Bearer): void }): VNode {
  async function use(key: string, onDevice: boolean): Promise<void> {
    const by = await bearerOf(id, key);
    keep(by.purpose, key, onDevice);
    given(by);
  }
  const staff = keyInLink();
  const by = staff === null ? null : bearer(id, staff);
  if (by !== null && by.role !== "player") return <StaffInvitation {...{ id, by, given }} />;
  const token = invitation();
  if (token.startsWith(REGISTER)) return <Registration {...{ id, given }} token={token.slice(REGISTER.length)} />;
  if (token !== "") return <Invitation {...{ id, token, given }} />;
  return (
    <>
      <p class="quiet">{about}</p>
      <KeyForm label={say("tournament.key")} use={use} />
    </>
  );
}

/** Who bears a key. Throws the service's refusal if it is unknown, or not for this tournament. */
export async function bearerOf(id: string, key: string): Promise<Bearer> {
  const by = bearer(id, key);
  if (by === null) throw new Refusal(say("tournament.key.of_match"));
  const path = by.role === "moderator" ? "rulings" : "ledger?limit=1";
  await by.arbiter.request(`/tournaments/${id}/${path}`);
  return by;
}
