/** The matches of a tournament, for those who run, moderate or play them. */
import type { VNode } from "preact";
import { Choice, Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { MatchForm } from "../match_form.js";
import { Status } from "../parts.js";
import { Previewed, Reason } from "../previewed.js";
import { handOut, invitation, type Sheet } from "../sheets.js";
import type { Bearer } from "./bearer.js";
import type { Cup, Pairing } from "./cup.js";
import type { DeskProps } from "./desk_props.js";
import { EnterResult } from "./enter_result.js";
import { openMatch } from "./open_match.js";
import { roundOfMatch } from "./round_names.js";
import { Between } from "./shown.js";
import { Task } from "./task.js";
import { below } from "../root.js";

/** Everything that an organiser does with matches. */
export function RunMatches({ cup, by, changed }: DeskProps): VNode {
  const waiting = cup.pairings.filter((one) => one.status === "created");
  async function startAll(): Promise<void> {
    try {
      for (const { match } of waiting) await by.arbiter.match(match).start();
    } finally {
      await changed();
    }
  }
  return (
    <Task title={say("tournament.run")} count={cup.pairings.length} open={cup.stages.length === 0}>
      {waiting.length > 1 && <Form label={say("tournament.start_all", { count: waiting.length })} send={startAll} />}
      {cup.pairings.length === 0 && <p class="quiet">{say("tournament.no_matches")}</p>}
      <ul class="rows">
        {cup.pairings.map((one) => (
          <RunMatch key={one.match} cup={cup} by={by} changed={changed} pairing={one} />
        ))}
      </ul>
    </Task>
  );
}

export function isOver({ status }: Pairing): boolean {
  return status === "ended" || status === "void";
}

/** Whether players can still protest against the result. */
function isProvisional({ row }: Pairing): boolean {
  return row.result?.final === false;
}

interface MatchProps extends DeskProps {
  pairing: Pairing;
}

function RunMatch(props: MatchProps): VNode {
  const { cup, by, changed, pairing } = props;
  const { match, status, row } = pairing;
  const over = isOver(pairing);
  const provisional = isProvisional(pairing);
  async function start(): Promise<void> {
    await by.arbiter.match(match).start();
    await changed();
  }
  return (
    <li class="run">
      <div>
        <b>
          <Between {...pairing} />
        </b>{" "}
        <span class="quiet">
          {cup.titles.get(pairing.game)}, {roundOfMatch(cup, pairing)}
        </span>{" "}
        <Status name={status} />
      </div>
      <p class="links">
        <a href={below(`/table/${match}`)}>{say("tournament.table")}</a>
        <a href={below(`/m/${match}/audit`)}>{say("tournament.audit")}</a>
        {over && !provisional && (
          <a href={below(`/v1/matches/${match}/bundle?as=${row.record === "closed" ? "public" : "moderator"}`)} download>
            {say("tournament.bundle")}
          </a>
        )}
      </p>
      {status === "created" && <Form label={say("tournament.start")} send={start} />}
      <details>
        <summary>{say("organise.more")}</summary>
        {!over && <EnterResult {...props} />}
        <Moderate {...props} />
        {!over && <Invite {...props} />}
        {provisional && <Confirm {...props} />}
        {(!over || provisional) && <Cancel {...props} />}
      </details>
    </li>
  );
}

export function Moderate({ cup, by, changed, pairing }: MatchProps): VNode | null {
  const open = cup.shown.moderators.filter((one) => !pairing.moderators.includes(one.name));
  if (open.length === 0) return null;
  async function give(fields: FormData): Promise<void> {
    const path = `/tournaments/${cup.shown.id}/matches/${pairing.match}/moderators`;
    await by.arbiter.request(path, { method: "POST", body: { moderator: Number(written(fields, "moderator")) } });
    await changed();
  }
  return (
    <Form label={say("tournament.give")} send={give}>
      <Field label={say("organise.moderator")}>
        <Choice name="moderator" of={open.map((one) => [String(one.moderator), one.name])} />
      </Field>
    </Form>
  );
}

function Invite({ by, cup, pairing }: MatchProps): VNode {
  async function invite(): Promise<void> {
    const of = `${cup.shown.name}: ${pairing.seats.join(" – ")}`;
    const made: Sheet[] = [];
    for (const seat of pairing.seats.keys()) made.push(await invitation(by.arbiter, pairing.match, seat, of));
    handOut(...made);
  }
  return <Form label={say("tournament.invite")} send={invite} />;
}

function Confirm({ by, changed, pairing }: MatchProps): VNode {
  async function confirm(fields: FormData): Promise<void> {
    const body = { kind: "confirm", reason: written(fields, "reason") };
    await by.arbiter.request(`/matches/${pairing.match}/rulings`, { method: "POST", body });
    await changed();
  }
  return (
    <Form label={say("tournament.confirm")} send={confirm}>
      <Reason />
    </Form>
  );
}

function Cancel({ by, changed, pairing }: MatchProps): VNode {
  return (
    <details>
      <summary>{say("tournament.cancel")}</summary>
      <Previewed
        by={by}
        path={`/matches/${pairing.match}/rulings`}
        label={say("tournament.cancel")}
        seats={pairing.seats}
        body={(fields) => ({ kind: "void", reason: written(fields, "reason") })}
        done={changed}
      >
        <p class="quiet">{say("tournament.cancel.why")}</p>
        <Reason />
      </Previewed>
    </details>
  );
}

/** A new match between players of the roster. */
export function NewMatchIn({ cup, by, changed }: DeskProps): VNode {
  const tournament = {
    id: cup.shown.id,
    players: cup.shown.players.map((one) => one.name),
    moderators: cup.shown.moderators.map((one) => one.name),
  };
  async function made(): Promise<string> {
    await changed();
    return say("organise.match.created");
  }
  return (
    <Task title={say("organise.match")}>
      <MatchForm arbiter={by.arbiter} tournament={tournament} made={made} />
    </Task>
  );
}

/** The matches in which somebody plays or which they moderate, to be opened with the same key. */
export function OwnMatches(props: DeskProps): VNode {
  const { cup, by } = props;
  const moderates = by.role === "moderator";
  const roles = new Map(cup.shown.matches.map((one) => [one.match, one[moderates ? "moderators" : "players"]]));
  const own = cup.pairings.filter((one) => roles.get(one.match)?.includes(by.number ?? -1) || sits(cup, by, one));
  return (
    <Task title={say("tournament.own")} count={own.length} open>
      {own.length === 0 && <p class="quiet">{say("nothing")}</p>}
      <ul class="rows">
        {own.map((one) => (
          <li key={one.match} class="run">
            <div>
              <Between {...one} /> <span class="quiet">{cup.titles.get(one.game)}</span> <Status name={one.status} />
            </div>
            {(moderates || (sits(cup, by, one) && (!isOver(one) || isProvisional(one)))) && (
              <button type="button" onClick={() => openMatch(by, one.match)}>
                {say(moderates ? "tournament.table" : "tournament.play")}
              </button>
            )}
            {moderates && !isOver(one) && <EnterResult {...props} pairing={one} />}
          </li>
        ))}
      </ul>
    </Task>
  );
}

/** Whether a player has a seat there now: somebody else may have taken it over. */
function sits({ shown }: Cup, { role, number }: Bearer, { seats }: Pairing): boolean {
  const name = role === "player" ? shown.players[number ?? -1]?.name : undefined;
  return name !== undefined && seats.includes(name);
}
