/** All cases about an event and its matches; those about the event with what was said in them. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { inOrder } from "../cases.js";
import { say } from "../given.js";
import { joined, Moment } from "../parts.js";
import { below } from "../root.js";
import { Listing } from "./listing.js";
import { closersOf } from "./deciders.js";
import { cases, readSaid, rulings, said } from "./reading.js";
import { OfMatch, playerName, roleName, seated } from "./words.js";

type Case = Schemas["CaseAcross"];

const COLUMNS = ["across.about", "report.parties", "report.status", "report.said", "report.opened"];

export function Cases(): VNode {
  return (
    <Listing
      title="cases"
      columns={COLUMNS}
      list={cases}
      empty="audit.across.cases.none"
      cells={(one) => [
        <About of={one} />,
        <bdi>{joined(parties(one))}</bdi>,
        `${say(`audit.case.${one.status}`)} ${one.appealed ? say("audit.across.appealed") : ""}`,
        one.match === null ? <Said of={one} /> : <a href={below(`/m/${one.match}/audit#case-${one.case}`)}>{say("audit.report.short")}</a>,
        <Moment at={one.opened} />,
      ]}
    />
  );
}

function parties({ match, parties }: Case): string[] {
  if (match === null) return parties.map(playerName);
  const names = seated(match);
  return parties.map((seat) => names[seat] ?? "");
}

function About({ of: { match, about } }: { of: Case }): VNode {
  if (match !== null || about === null || typeof about === "number") return <OfMatch match={match} />;
  const round = about.round == null ? [] : [say("tournament.round", { number: about.round })];
  const player = about.player == null ? [] : [playerName(about.player)];
  return <bdi>{[...round, ...player].join(", ")}</bdi>;
}

/** What was said and decided in a case about the event, once it is asked for. */
function Said({ of: { case: name } }: { of: Case }): VNode {
  const read = said.value.get(name);
  if (read === undefined) {
    return (
      <button type="button" class="plain" onClick={() => void readSaid(name)}>
        {say("audit.across.read")}
      </button>
    );
  }
  if (typeof read === "string") return <p role="status">{read}</p>;
  return (
    <ol class="audit-statements">
      {inOrder(read).map((one, index) => (
        <li key={index}>
          <span class="quiet">{"says" in one ? (one.person ?? speaker(one.from)) : decided(one)}</span>{" "}
          <bdi class="audit-says">{"says" in one ? one.says : (one.note ?? say("audit.report.ruling"))}</bdi>
        </li>
      ))}
    </ol>
  );
}

/** By name where its reader is told. */
function decided(closing: Schemas["Closing"]): string {
  const names = closersOf(closing, rulings.rows.value).map((name) => name ?? say("audit.report.unnamed"));
  return [say("audit.report.decided"), ...(names.length === 0 ? [] : [joined(names)])].join(": ");
}

function speaker(from: string): string {
  const [what, number] = from.split(":");
  return what === "player" && number !== undefined ? playerName(Number(number)) : roleName(from, null);
}
