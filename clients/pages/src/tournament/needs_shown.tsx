/** What needs those who run an event now, each with what settles it. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Form, written } from "../form.js";
import { say } from "../given.js";
import { Status } from "../parts.js";
import { Previewed, Reason } from "../previewed.js";
import { Ended } from "./absences.js";
import type { Cup, Pairing } from "./cup.js";
import type { DeskProps } from "./desk_props.js";
import { EnterResult } from "./enter_result.js";
import { NextRound } from "./next_round.js";
import { isOver } from "./matches.js";
import { choosable } from "./mine.js";
import { needsOf, type Need } from "./needs.js";
import { OpenCases } from "./open_cases.js";
import { roundName } from "./round_names.js";
import { Between } from "./shown.js";
import { stageName } from "./stage_names.js";
import { lastRound, type Round, type StageRead } from "./stage_read.js";
import { WaitingInMatches } from "./waiting.js";

export function Needs(props: DeskProps): VNode {
  const pending = props.cup.rulings.filter((one) => one.status === "pending" && one.ruling !== null);
  const [open, waiting] = [useSignal(false), useSignal(false)];
  const isNamed = pending.some((one) => one.kind === "candidates");
  const needs = needsOf(props.cup, Date.now())
    .filter((one) => props.by.role === "organiser" || one.kind === "ended")
    .filter((one) => one.kind !== "candidates" || !isNamed);
  const entered = props.by.role === "organiser" ? openResults(props.cup) : [];
  const isIdle = needs.length + pending.length + entered.length === 0 && !open.value && !waiting.value;
  return (
    <section class="needs" aria-labelledby="needs">
      <h2 id="needs">{say("desk.needs")}</h2>
      <OpenCases {...props} some={open} />
      {pending.length > 0 && <p class="need">{say("desk.pending", { count: pending.length })}</p>}
      <WaitingInMatches {...props} some={waiting}>
        {needs.map((need, index) => (
          <article key={`${need.kind} ${"read" in need ? need.read.stage.stage : index}`} class="need">
            <OneNeed {...props} need={need} />
          </article>
        ))}
        {entered.length > 0 && <Results {...props} open={entered} />}
        {isIdle && <p class="quiet">{say(props.by.role === "organiser" ? "desk.nothing" : "desk.nothing.moderator")}</p>}
      </WaitingInMatches>
    </section>
  );
}

type Of<Kind extends Need["kind"]> = DeskProps & { need: Need & { kind: Kind } };

function OneNeed(props: DeskProps & { need: Need }): VNode {
  const { need } = props;
  switch (need.kind) {
    case "start":
      return <Start {...props} need={need} />;
    case "ended":
      return <Ended {...props} read={need.read} round={need.round} />;
    case "confirm":
      return <Confirm {...props} need={need} />;
    case "candidates":
      return <Candidates {...props} read={need.read} round={need.round} />;
    case "draft":
      return <NextRound {...props} read={need.read} number={need.number} />;
    case "close_stage":
      return <CloseStage {...props} read={need.read} />;
    case "close":
      return <Close {...props} />;
  }
}

/** The matches of rounds that are played, whose results are entered here where they are played at a table. */
function openResults({ stages, pairings }: Cup): Pairing[] {
  const rounds = stages.flatMap((read) => lastRound(read) ?? []).filter((round) => round.status === "published");
  const ids = new Set(rounds.flatMap((round) => round.pairings.flatMap((one) => one.matches)));
  return pairings.filter((one) => ids.has(one.match) && !isOver(one));
}

function Results({ open, ...props }: DeskProps & { open: readonly Pairing[] }): VNode {
  return (
    <details class="need">
      <summary>{say("desk.results", { count: open.length })}</summary>
      <ul class="rows">
        {open.map((one) => (
          <li key={one.match}>
            <Between {...one} /> <Status name={one.status} />
            <EnterResult {...props} pairing={one} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Start({ by, changed, need: { read, round, matches } }: Of<"start">): VNode {
  async function start(): Promise<void> {
    try {
      for (const match of matches) await by.arbiter.match(match).start();
    } finally {
      await changed();
    }
  }
  return (
    <>
      <h3>{say("desk.start", { round: roundName(round, read.slots), count: matches.length })}</h3>
      <Form label={say("tournament.start_all", { count: matches.length })} send={start} />
    </>
  );
}

function Confirm({ by, changed, need: { pairing } }: Of<"confirm">): VNode {
  async function confirm(fields: FormData): Promise<void> {
    const body = { kind: "confirm", reason: written(fields, "reason") };
    await by.arbiter.request(`/matches/${pairing.match}/rulings`, { method: "POST", body });
    await changed();
  }
  return (
    <>
      <h3>
        {say("desk.confirm")} <Between {...pairing} />
      </h3>
      <details>
        <summary>{say("tournament.confirm")}</summary>
        <Form label={say("tournament.confirm")} send={confirm}>
          <Reason />
        </Form>
      </details>
    </>
  );
}

/** Staff name who meets in a death match that the main match has left without anybody. */
function Candidates({ cup, by, changed, read, round }: DeskProps & { read: StageRead; round: Round }): VNode {
  const { stage } = read.stage;
  return (
    <>
      <h3>{say("desk.candidates", { number: round.round })}</h3>
      <p class="quiet">{say("desk.candidates.about")}</p>
      <details>
        <summary>{say("desk.candidates.name")}</summary>
        <Previewed
          by={by}
          path={`/tournaments/${cup.shown.id}/rulings`}
          label={say("desk.candidates.send")}
          seats={[]}
          body={(fields) => ({
            kind: "candidates",
            stage,
            players: fields.getAll("player").map(Number),
            reason: written(fields, "reason"),
          })}
          done={changed}
        >
          <fieldset>
            <legend>{say("desk.candidates.who")}</legend>
            {choosable(round).map((player) => (
              <label key={player} class="tick">
                <input type="checkbox" name="player" value={player} /> <bdi>{cup.shown.players[player]?.name}</bdi>
              </label>
            ))}
          </fieldset>
          <Reason />
        </Previewed>
      </details>
    </>
  );
}

export function CloseStage({ cup, by, changed, read }: DeskProps & { read: StageRead }): VNode {
  async function close(): Promise<void> {
    // Lots break the ties that decide who goes on.
    await by.arbiter.tournament(cup.shown.id).drawLots(read.stage.stage);
    await by.arbiter.tournament(cup.shown.id).closeStage(read.stage.stage);
    await changed();
  }
  return (
    <>
      <h3>
        {say("desk.stage_over")} <bdi>{stageName(read.stage.name)}</bdi>
      </h3>
      <Form label={say("desk.close_stage")} send={close} />
    </>
  );
}

function Close({ cup, by, changed }: DeskProps): VNode {
  async function close(): Promise<void> {
    await by.arbiter.tournament(cup.shown.id).close();
    await changed();
  }
  return (
    <>
      <h3>{say("desk.over")}</h3>
      <Form label={say("desk.close")} send={close} />
    </>
  );
}
