/** What whoever has a key sees of a tournament beyond the public, and what they may do. */
import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { KeyForm, KeyInUse } from "../key_form.js";
import { forget, keep } from "../keys.js";
import { putAway, Sheets } from "../sheets.js";
import { Refusal } from "../trouble.js";
import { bearer, type Bearer } from "./bearer.js";
import { Announcements, Calendars } from "./notices.js";
import { Correct, PendingCorrections } from "./corrections.js";
import type { Cup } from "./cup.js";
import type { DeskProps } from "./desk_props.js";
import { Invitation, invitation } from "./invitation.js";
import { LedgerShown } from "./ledger.js";
import { NewMatchIn, OwnMatches, RunMatches } from "./matches.js";
import { madeOwn, OwnKey } from "./own_key.js";
import { Enter } from "./people.js";
import { REGISTER, Registration } from "./registration.js";
import { Part } from "./shown.js";

interface Props {
  cup: Cup;
  whose: Signal<Bearer | null>;
  changed(): Promise<void>;
}

export function Desk({ cup, whose, changed }: Props): VNode {
  const by = whose.value;
  function forgetKey(): void {
    if (!putAway()) return;
    if (by !== null) forget(by.purpose);
    madeOwn.value = null;
    whose.value = null;
  }
  return (
    <Part id="for-whom" title={say("tournament.desk")}>
      <Sheets />
      {by === null ? (
        <Ask id={cup.shown.id} given={(found) => (whose.value = found)} />
      ) : (
        <>
          <KeyInUse says={whoIs(cup, by)} forget={forgetKey} />
          {by.role === "moderator" && <OwnKey tournament={cup.shown.id} by={by} whose={whose} />}
          <Tasks cup={cup} by={by} changed={changed} />
        </>
      )}
    </Part>
  );
}

function Ask({ id, given }: { id: string; given(by: Bearer): void }): VNode {
  async function use(key: string, onDevice: boolean): Promise<void> {
    const by = await bearerOf(id, key);
    keep(by.purpose, key, onDevice);
    given(by);
  }
  const token = invitation();
  if (token.startsWith(REGISTER)) return <Registration {...{ id, given }} token={token.slice(REGISTER.length)} />;
  if (token !== "") return <Invitation {...{ id, token, given }} />;
  return (
    <>
      <p class="quiet">{say("tournament.ledger.whose")}</p>
      <KeyForm label={say("tournament.key")} use={use} />
    </>
  );
}

/** Who bears a key. Throws the service's refusal if it is unknown, or not for this tournament. */
async function bearerOf(id: string, key: string): Promise<Bearer> {
  const by = bearer(id, key);
  if (by === null) throw new Refusal(say("tournament.key.of_match"));
  const path = by.role === "moderator" ? "rulings" : "ledger?limit=1";
  await by.arbiter.request(`/tournaments/${id}/${path}`);
  return by;
}

function whoIs(cup: Cup, { role, number }: Bearer): string {
  if (number === null || role === "organiser") return say("organise.key.organiser");
  const people = role === "player" ? cup.shown.players : cup.shown.moderators;
  return say(`tournament.key.${role}`, { name: people[number]?.name ?? "" });
}

function Tasks(props: DeskProps): VNode {
  if (props.by.role === "organiser") return <OrganisersTasks {...props} />;
  return (
    <div class="tasks">
      <OwnMatches {...props} />
      {props.by.role === "moderator" ? <PendingCorrections {...props} /> : <LedgerShown {...props} />}
      <Calendars {...props} />
    </div>
  );
}

function OrganisersTasks(props: DeskProps): VNode {
  return (
    <div class="tasks">
      <RunMatches {...props} />
      <NewMatchIn {...props} />
      <Enter {...props} what="players" />
      <Enter {...props} what="moderators" />
      <LedgerShown {...props} />
      <PendingCorrections {...props} />
      <Correct {...props} />
      <Announcements {...props} />
      <Calendars {...props} />
    </div>
  );
}
