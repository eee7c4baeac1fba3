/** What whoever has a key sees of a tournament beyond the public, and what they may do. */
import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { KeyInUse } from "../key_form.js";
import { forget } from "../keys.js";
import { below } from "../root.js";
import { putAway, Sheets } from "../sheets.js";
import type { Bearer } from "./bearer.js";
import { Announcements, Calendars } from "./notices.js";
import { Correct, PendingCorrections } from "./corrections.js";
import type { Cup } from "./cup.js";
import type { DeskProps } from "./desk_props.js";
import { LedgerShown } from "./ledger.js";
import { NewMatchIn, OwnMatches, RunMatches } from "./matches.js";
import { Moderators } from "./moderators.js";
import { madeOwn, OwnKey } from "./own_key.js";
import { Organisers } from "./organisers.js";
import { Doors, Roster } from "./roster.js";
import { RuleOnEvent } from "./rule_on_event.js";
import { moderatorName } from "./staff.js";
import { StageTasks } from "./stage_tasks.js";
import { Enter } from "./people.js";

interface Props {
  cup: Cup;
  by: Bearer;
  whose: Signal<Bearer | null>;
  changed(): Promise<void>;
}

export function Desk({ cup, by, whose, changed }: Props): VNode {
  function forgetKey(): void {
    if (!putAway()) return;
    forget(by.purpose);
    madeOwn.value = null;
    whose.value = null;
  }
  return (
    <>
      <Sheets />
      <KeyInUse says={whoIs(cup, by)} forget={forgetKey} />
      {by.role === "player" && (
        <p>
          <a href={below(`/t/${cup.shown.id}/me`)}>{say("tournament.own.page")}</a>
        </p>
      )}
      {(by.role === "moderator" || madeOwn.value !== null) && <OwnKey tournament={cup.shown.id} by={by} whose={whose} />}
      <Tasks cup={cup} by={by} changed={changed} />
    </>
  );
}

export { Needs } from "./needs_shown.js";

function whoIs(cup: Cup, { role, number }: Bearer): string {
  if (number === null || role === "organiser") return say("organise.key.organiser");
  const name = role === "player" ? cup.shown.players[number]?.name : moderatorName(cup.shown, number);
  return say(`tournament.key.${role}`, { name: name ?? "" });
}

function Tasks(props: DeskProps): VNode {
  if (props.by.role === "organiser") return <OrganisersTasks {...props} />;
  return (
    <div class="tasks">
      <OwnMatches {...props} />
      {props.by.role === "moderator" ? (
        <>
          <PendingCorrections {...props} />
          <Roster {...props} />
        </>
      ) : (
        <LedgerShown {...props} />
      )}
      <Calendars {...props} />
    </div>
  );
}

/** In the order in which they are needed; what only an open tournament has is gone with its end. */
function OrganisersTasks(props: DeskProps): VNode {
  const isOpen = props.cup.shown.status === "open";
  const hasPending = props.cup.rulings.some((one) => one.status === "pending");
  return (
    <div class="tasks">
      {hasPending && <PendingCorrections {...props} />}
      <RunMatches {...props} />
      <Roster {...props} />
      <StageTasks {...props} />
      {isOpen && (
        <>
          <Enter {...props} what="players" />
          <Doors {...props} />
          <NewMatchIn {...props} />
          <Moderators {...props} />
          <Organisers {...props} />
          <RuleOnEvent {...props} />
        </>
      )}
      <Correct {...props} />
      {!hasPending && <PendingCorrections {...props} />}
      <LedgerShown {...props} />
      <Announcements {...props} />
      <Calendars {...props} />
    </div>
  );
}
