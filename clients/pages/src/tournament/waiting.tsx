/** Rulings in matches of an event that wait for a second person. */
import type { Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Form } from "../form.js";
import { say } from "../given.js";
import { proposedInMatches, type Proposed } from "../proposed.js";
import { service } from "../service.js";
import type { DeskProps } from "./desk_props.js";
import { isOver, Moderate } from "./matches.js";
import { InMatch, type Found } from "./open_cases.js";
import { isOwn, secondsOf } from "./seconds.js";

interface Waiting {
  match: string;
  /** Whether whoever sees it has proposed it, and cannot agree to it. */
  own: boolean;
}

/** Moderators see them all. Organisers see those that they have proposed here, and choose behind all else to see the others: that is a look. */
export function WaitingInMatches({ children, ...props }: Found & { children: ComponentChildren }): VNode {
  const { cup, by, some } = props;
  const found = useSignal<Waiting[] | null>(null);
  const own = useSignal<Waiting[]>([]);
  const looks = by.role === "organiser";
  async function look(): Promise<void> {
    const pages = await by.arbiter.pages<Schemas["TournamentRulingList"]>(`/tournaments/${cup.shown.id}/rulings`);
    const pending = pages.flatMap((page) => page.rulings).filter((one) => one.status === "pending");
    found.value = pending.flatMap(({ match, ...one }) => (match === null ? [] : [{ match, own: isOwn(cup, by, one) }]));
  }
  async function read(): Promise<void> {
    if (!looks) return look();
    const open = proposedInMatches(by.purpose, Date.now()).filter((one) => cup.pairings.some((pairing) => pairing.match === one.match && !isOver(pairing)));
    const done = await Promise.all(open.map(isCarriedOut));
    own.value = open.filter((_, index) => !done[index]).map(({ match }) => ({ match, own: true }));
  }
  useEffect(() => void read().catch(reportError), [cup]);
  const waiting = found.value ?? own.value;
  useEffect(() => void (some.value = waiting.length > 0), [waiting]);
  const canWait = cup.pairings.some((one) => one.status !== "created" && (!isOver(one) || one.row.result?.final === false));
  return (
    <>
      {waiting.map((one, index) => (
        <Waits key={index} {...props} {...one} />
      ))}
      {children}
      {looks && canWait && (
        <details>
          <summary>{say("desk.waiting")}</summary>
          <p class="quiet">{say("desk.waiting.counts")}</p>
          <Form label={say("desk.waiting.look")} send={look} />
          {found.value?.length === 0 && <p role="status">{say("desk.waiting.none")}</p>}
        </details>
      )}
    </>
  );
}

/** As everybody sees it: whoever proposed a ruling does not look into the match for that. */
async function isCarriedOut({ match, kind, at }: Proposed): Promise<boolean> {
  const pages = await service().pages<Schemas["RulingList"]>(`/matches/${match}/rulings`);
  return pages.flatMap((page) => page.rulings).some((one) => one.kind === kind && Date.parse(one.at) > at);
}

function Waits({ match, own, ...props }: DeskProps & Waiting): VNode {
  const { cup, by } = props;
  const pairing = cup.pairings.find((one) => one.match === match);
  return (
    <article class="need">
      <h3>{say("desk.waiting.second")}</h3>
      <InMatch cup={cup} of={{ match }} />
      {!own && <p>{say("desk.waiting.yours")}</p>}
      {own && pairing !== undefined && <p>{secondsOf(cup, by.role, pairing)}</p>}
      {own && pairing !== undefined && by.role === "organiser" && pairing.moderators.length === 0 && <Moderate {...props} pairing={pairing} />}
    </article>
  );
}
