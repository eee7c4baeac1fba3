/** All rulings on an event and in its matches. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { say } from "../given.js";
import { joined, Moment, outcomeWithScores } from "../parts.js";
import { Listing } from "./listing.js";
import { decidersOf } from "./deciders.js";
import { rulings } from "./reading.js";
import { kindName, OfMatch, playerName, seated } from "./words.js";

type Ruling = Schemas["TournamentRulingShown"];

const COLUMNS = ["report.ruling", "across.about", "report.reason", "report.people", "report.status", "across.when"];

export function Rulings(): VNode {
  return (
    <Listing
      title="across.rulings"
      columns={COLUMNS}
      list={rulings}
      empty="audit.across.rulings.none"
      cells={(one) => [
        <What ruling={one} />,
        <About ruling={one} />,
        <Why ruling={one} />,
        <bdi>{decidedBy(one)}</bdi>,
        say(`audit.across.${one.status}`),
        <Moment at={one.at} />,
      ]}
    />
  );
}

/** By name where its reader is told, or else as what they decided. */
function decidedBy(ruling: Ruling): string {
  const said = decidersOf(ruling);
  return typeof said === "string" ? say(`audit.across.by.${said}`) : joined(said.map((name) => name ?? say("audit.report.unnamed")));
}

/** The match, the player, or the event. */
function About({ ruling: { match, ordered, effects } }: { ruling: Ruling }): VNode {
  const { player } = (ordered ?? effects[0]?.data ?? {}) as { player?: number };
  if (match !== null || player === undefined) return <OfMatch match={match} />;
  return <bdi>{playerName(player)}</bdi>;
}

/** What is ruled; and with which result a match counts. */
function What({ ruling: { kind, n, match, result } }: { ruling: Ruling }): VNode {
  return (
    <>
      <b>{kindName(kind)}</b> {n !== null && <span class="quiet">({n})</span>}
      {result !== null && <p class="quiet">{outcomeWithScores(result, match === null ? [] : seated(match))}</p>}
      {result === null && kind === "correct" && <p class="quiet">{say("audit.across.taken_out")}</p>}
    </>
  );
}

function Why({ ruling: { reason, rule } }: { ruling: Ruling }): VNode {
  return (
    <>
      <bdi class="audit-says">{reason}</bdi>
      {rule !== null && (
        <p class="quiet">
          <bdi>{rule}</bdi>
        </p>
      )}
    </>
  );
}
