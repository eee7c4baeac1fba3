/** What needs those who run an event now, each with what settles it. */
import { newKey, type Schemas } from "@arbiter/client";
import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Form, written } from "../form.js";
import { say } from "../given.js";
import { Status } from "../parts.js";
import { Previewed, Reason } from "../previewed.js";
import { Ended } from "./absences.js";
import type { DeskProps } from "./desk_props.js";
import { EnterResult } from "./enter_result.js";
import { Moderate } from "./matches.js";
import { NextRound } from "./next_round.js";
import { choosable } from "./mine.js";
import { needsOf, type Need } from "./needs.js";
import { roundName } from "./round_names.js";
import { Between } from "./shown.js";
import { lastRound, type Round, type StageRead } from "./stage_read.js";

export function Needs(props: DeskProps): VNode {
  const pending = props.cup.rulings.filter((one) => one.status === "pending" && one.ruling !== null);
  const [open, waiting] = [useSignal(false), useSignal(false)];
  const isNamed = pending.some((one) => one.kind === "candidates");
  const needs = needsOf(props.cup, Date.now())
    .filter((one) => props.by.role === "organiser" || one.kind === "ended")
    .filter((one) => one.kind !== "candidates" || !isNamed);
  return (
    <section class="needs" aria-labelledby="needs">
      <h2 id="needs">{say("desk.needs")}</h2>
      {needs.map((need, index) => (
        <article key={`${need.kind} ${"read" in need ? need.read.stage.stage : index}`} class="need">
          <OneNeed {...props} need={need} />
        </article>
      ))}
      {props.by.role === "organiser" && <Results {...props} />}
      {pending.length > 0 && <p class="need">{say("desk.pending", { count: pending.length })}</p>}
      <OpenCases {...props} some={open} />
      <WaitingInMatches {...props} some={waiting} />
      {needs.length === 0 && pending.length === 0 && !open.value && !waiting.value && <p class="quiet">{say(props.by.role === "organiser" ? "desk.nothing" : "desk.nothing.moderator")}</p>}
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
function Results(props: DeskProps): VNode | null {
  const ids = new Set(props.cup.stages.flatMap((read) => (lastRound(read)?.status === "published" ? lastRound(read)!.pairings.flatMap((one) => one.matches) : [])));
  const open = props.cup.pairings.filter((one) => ids.has(one.match) && !["ended", "void"].includes(one.status));
  if (open.length === 0) return null;
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
        {say("desk.stage_over")} <bdi>{read.stage.name}</bdi>
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

/** Notes whether there are some. */
type Found = DeskProps & { some: Signal<boolean> };

/** Cases about the event and its matches that are open. */
function OpenCases({ cup, by, changed, some }: Found): VNode | null {
  const open = useSignal<Schemas["CaseAcross"][]>([]);
  async function read(): Promise<void> {
    const found: Schemas["CaseAcross"][] = [];
    for await (const one of by.arbiter.tournament(cup.shown.id).cases()) if (one.status === "open") found.push(one);
    open.value = found;
    some.value = found.length > 0;
  }
  useEffect(() => void read().catch(reportError), [cup]);
  async function done(): Promise<void> {
    await read();
    await changed();
  }
  if (open.value.length === 0) return null;
  return (
    <>
      {open.value.map((one) => (
        <article key={one.case} class="need">
          <h3>{say("desk.case")}</h3>
          {one.match === null ? <EventCase id={cup.shown.id} by={by} of={one} done={done} cup={cup} /> : <MatchCase cup={cup} of={one} />}
        </article>
      ))}
    </>
  );
}

/** Rulings of matches that wait for a second person. Organisers choose to see them: it is a look. */
function WaitingInMatches(props: Found): VNode | null {
  const { cup, by, some } = props;
  const found = useSignal<Schemas["TournamentRulingShown"][] | null>(null);
  const looks = by.role === "organiser";
  async function read(): Promise<void> {
    const pages = await by.arbiter.pages<Schemas["TournamentRulingList"]>(`/tournaments/${cup.shown.id}/rulings`);
    found.value = pages.flatMap((page) => page.rulings).filter((one) => one.match !== null && one.status === "pending");
    some.value = found.value.length > 0;
  }
  useEffect(() => {
    if (!looks) void read().catch(reportError);
  }, [cup]);
  if (cup.pairings.every((one) => one.status === "created" || one.row.result?.final === true)) return null;
  return (
    <>
      {found.value?.map((one, index) => (
        <article key={one.ruling ?? index} class="need">
          <h3>{say("desk.waiting.second")}</h3>
          <MatchCase cup={cup} of={one} />
          <NoSecond {...props} of={one} />
        </article>
      ))}
      {looks && (
        <details>
          <summary>{say("desk.waiting")}</summary>
          <p class="quiet">{say("desk.waiting.counts")}</p>
          <Form label={say("desk.waiting.look")} send={read} />
          {found.value?.length === 0 && <p role="status">{say("desk.waiting.none")}</p>}
        </details>
      )}
    </>
  );
}

/** Where nobody else moderates the match, somebody has to be added. */
function NoSecond({ of, ...props }: DeskProps & { of: { match: string | null } }): VNode | null {
  const pairing = props.cup.pairings.find((one) => one.match === of.match);
  if (pairing === undefined || pairing.moderators.length > 1 || props.by.role !== "organiser") return null;
  return (
    <>
      <p>{say("desk.waiting.no_second")}</p>
      <Moderate {...props} pairing={pairing} />
    </>
  );
}

function MatchCase({ cup, of }: { cup: DeskProps["cup"]; of: { match: string | null } }): VNode {
  const pairing = cup.pairings.find((one) => one.match === of.match);
  return <p>{pairing === undefined ? of.match : <Between {...pairing} at="table" />}</p>;
}

interface EventCaseProps extends Pick<DeskProps, "cup" | "by"> {
  /** Of the tournament. */
  id: string;
  of: Schemas["CaseAcross"];
  done(): Promise<void>;
}

/** A case about the event: what was said in it, an answer, and the note that closes it. */
function EventCase({ id, by, of, done, cup }: EventCaseProps): VNode {
  const path = `/tournaments/${id}/cases/${of.case}`;
  const shown = useSignal<Schemas["CaseShown"] | null>(null);
  async function read(): Promise<void> {
    shown.value = (await by.arbiter.request<Schemas["CaseShown"]>(path)).data;
  }
  useEffect(() => void read().catch(reportError), [of.case, cup]);
  async function send(what: "statements" | "close", body: unknown): Promise<void> {
    await by.arbiter.request(`${path}/${what}`, { method: "POST", body, headers: { "Idempotency-Key": newKey() } });
    await (what === "close" ? done() : read());
  }
  const about = of.about !== null && typeof of.about === "object" ? of.about : null;
  return (
    <>
      <p class="quiet">
        {about?.round != null && say("tournament.round", { number: about.round })} {of.parties.map((one) => cup.shown.players[one]?.name).join(", ")}
      </p>
      <ul class="rows">
        {shown.value?.statements.map((one) => (
          <li key={one.n}>
            <bdi class="says">{one.says}</bdi>
          </li>
        ))}
      </ul>
      <details>
        <summary>{say("desk.case.answer")}</summary>
        <Form label={say("desk.case.say")} send={(fields) => send("statements", { says: written(fields, "says") })}>
          <textarea name="says" required rows={2} aria-label={say("desk.case.say")} />
        </Form>
        <Form label={say("desk.case.close")} send={(fields) => send("close", { note: written(fields, "note") })}>
          <textarea name="note" required rows={2} aria-label={say("desk.case.note")} />
        </Form>
      </details>
    </>
  );
}
