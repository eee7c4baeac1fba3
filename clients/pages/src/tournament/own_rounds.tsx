/** What a player has to do now, and what they can do about the rounds to come. */
import { newKey, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Countdown } from "../clock.js";
import { Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { joined, Moment } from "../parts.js";
import { below } from "../root.js";
import type { Bearer } from "./bearer.js";
import { endingOf } from "./ending.js";
import { LeavingShown } from "./leaving_shown.js";
import { mayAskBye, nextOf, type Next } from "./mine.js";
import { isComplete } from "./needs.js";
import { openMatch } from "./open_match.js";
import { roundName } from "./round_names.js";
import { stageName } from "./stage_names.js";
import { lastRound, type StageRead } from "./stage_read.js";

export interface OwnProps {
  id: string;
  by: Bearer;
  player: Schemas["ShownPlayer"];
  names: readonly string[];
  stages: readonly StageRead[];
  changed(): Promise<void>;
}

/** A request of the player about themselves. */
async function send({ id, by, player, changed }: OwnProps, what: string, body?: unknown, method: "POST" | "DELETE" = "POST"): Promise<void> {
  const headers = { "Idempotency-Key": newKey() };
  await by.arbiter.request(`/tournaments/${id}/players/${player.player}/${what}`, { method, body, headers });
  await changed();
}

export function Now(props: OwnProps): VNode {
  const { player, stages } = props;
  const next = nextOf(player.player, stages);
  return (
    <>
      {next.map((one) => (
        <section key={`${one.kind} ${one.stage.stage}`} class="next">
          <p class="quiet">
            <bdi>{stageName(one.stage.name)}</bdi>, {roundName(one.round, stages[one.stage.stage - 1]?.slots ?? [])}
          </p>
          <OneNext {...props} next={one} />
        </section>
      ))}
      {next.length === 0 && !hasLeft(player) && <p class="next">{standing(player, stages)}</p>}
    </>
  );
}

/** What a player is told between rounds and at the end. */
function standing(player: Schemas["ShownPlayer"], stages: readonly StageRead[]): string {
  const ending = endingOf(player.player, stages);
  if (ending.kind === "placed") return say(ending.place <= PODIUM ? `me.placed.${ending.place}` : "me.placed", { place: ending.place });
  if (ending.kind === "goes_on" && player.status === "eliminated") return say("me.out");
  return say(`me.${ending.kind}`);
}

/** The places that have a name. */
const PODIUM = 3;

/** A player who has left the tournament reads that first, and what they can still do. */
export function Left({ player, isOpen }: Pick<OwnProps, "player"> & { isOpen: boolean }): VNode | null {
  if (!hasLeft(player)) return null;
  return (
    <section class="next">
      <h2>{say(`me.left.${player.status}`)}</h2>
      {player.because !== null && (
        <p>
          <bdi class="says">{player.because}</bdi>
        </p>
      )}
      {isOpen && <p>{say(`me.left.${player.status}.then`)}</p>}
    </section>
  );
}

function OneNext(props: OwnProps & { next: Next }): VNode {
  const { names, next } = props;
  switch (next.kind) {
    case "table":
      return <AtTable {...props} next={next} />;
    case "death":
      return (
        <>
          <h2>{say("me.death", { names: named(names, next.opponents) })}</h2>
          <Play {...props} match={next.match} />
        </>
      );
    case "bye":
      return <h2>{say(`me.has.${next.bye.kind}`)}</h2>;
    case "choose":
      return <Choose {...props} next={next} />;
    case "awaits_choice":
      return <h2>{say("me.awaits_choice", { name: names[next.chooser] ?? "" })}</h2>;
  }
}

function AtTable(props: OwnProps & { next: Next & { kind: "table" } }): VNode {
  const { names, next } = props;
  const { pairing, stage, round, opponents } = next;
  const ends = pairing.ends ?? round.ends;
  const match = pairing.matches.at(-1);
  return (
    <>
      <h2>
        {say("me.table", { number: pairing.table })} <bdi>{say("me.against", { names: named(names, opponents) })}</bdi>
      </h2>
      <Game {...props} id={stage.match.game ?? null} />
      <p>
        {say(`stage.status.${pairing.status}`)}
        {pairing.result !== null && `: ${resultFor(props.player.player, pairing)}`}
        {pairing.result !== null && pairing.ruled && ` (${say("stage.ruled")})`}
      </p>
      {ends !== null && pairing.status !== "final" && (
        <p>
          {say("me.ends")} <Countdown until={ends} />
        </p>
      )}
      {pairing.status === "waiting" && stage.round.start === "ready" && match !== undefined && <Ready {...props} match={match} />}
      {pairing.status === "waiting" && stage.round.start !== "ready" && <p class="quiet">{say("me.waits_for_start")}</p>}
      {match !== undefined && <Play {...props} match={match} isOn={pairing.status === "running"} />}
    </>
  );
}

/** What is played, with the way to its rules. */
function Game({ by, id }: Pick<OwnProps, "by"> & { id: string | null }): VNode | null {
  const title = useSignal(id);
  useEffect(() => void by.arbiter.games().then((games) => (title.value = games.find((one) => one.id === id)?.title ?? id), reportError), [id]);
  if (id === null) return null;
  return (
    <p>
      <a href={below(`/games/${id}`)}>{say("me.rules", { game: title.value ?? id })}</a>
    </p>
  );
}

function resultFor(player: number, { players, result }: Schemas["ShownPairing"]): string {
  const seat = players.indexOf(player);
  const outcome = !result!.winners.includes(seat) ? "lost" : result!.shared ? "shared" : "won";
  return say(`stage.card.${outcome}`);
}

function named(names: readonly string[], players: readonly number[]): string {
  return joined(players.map((player) => names[player] ?? ""));
}

function Play({ by, match, isOn = true }: OwnProps & { match: string; isOn?: boolean }): VNode {
  return (
    <p class="doors">
      {isOn && (
        <button type="button" onClick={() => openMatch(by, match)}>
          {say("tournament.play")}
        </button>
      )}
      <a href={below(`/m/${match}`)}>{say("stage.watch")}</a>
    </p>
  );
}

function Ready({ by, match, changed }: OwnProps & { match: string }): VNode {
  const isReady = useSignal(false);
  async function ready(): Promise<void> {
    await by.arbiter.request(`/matches/${match}/ready`, { method: "POST", headers: { "Idempotency-Key": newKey() } });
    isReady.value = true;
    await changed();
  }
  if (isReady.value) return <p role="status">{say("me.ready.waits")}</p>;
  return <Form label={say("me.ready")} send={ready} />;
}

/** The candidate chooses whom they meet in the death match. */
function Choose(props: OwnProps & { next: Next & { kind: "choose" } }): VNode {
  const { id, by, names, next, changed } = props;
  async function choose(fields: FormData): Promise<void> {
    const body = { player: Number(written(fields, "player")) };
    const path = `/tournaments/${id}/stages/${next.stage.stage}/rounds/${next.round.round}/opponent`;
    await by.arbiter.request(path, { method: "POST", body, headers: { "Idempotency-Key": newKey() } });
    await changed();
  }
  return (
    <>
      <h2>{say("me.choose")}</h2>
      <p>
        {say("me.choose.until")} <Countdown until={next.until} />
      </p>
      <Form label={say("me.choose.send")} send={choose} grave>
        <fieldset class="opponents">
          <legend>{say("me.choose.among")}</legend>
          {next.among.map((player) => (
            <label key={player} class="tick">
              <input type="radio" name="player" value={player} required /> <bdi>{names[player]}</bdi>
            </label>
          ))}
        </fieldset>
      </Form>
    </>
  );
}

function hasLeft({ status }: Schemas["ShownPlayer"]): boolean {
  return status === "withdrawn" || status === "disqualified";
}

function isOut(player: Schemas["ShownPlayer"]): boolean {
  return player.status === "eliminated" || hasLeft(player);
}

/** The check-in while it is open, or behind it for who has not been there. */
export function CheckIn(props: OwnProps & { closes: string | null }): VNode | null {
  const { closes, player } = props;
  if (closes === null || isOut(player)) return null;
  if (player.status === "checked_in") return <p role="status">{say("me.checked_in")}</p>;
  return (
    <section class="next">
      <h2>{say("me.check_in")}</h2>
      <p>
        {say("me.check_in.about")} <Moment at={closes} />
      </p>
      <Form label={say("me.check_in.send")} send={() => send(props, "check-in")} />
    </section>
  );
}

/** Sitting out a round, leaving and coming back. */
export function Absence(props: OwnProps): VNode | null {
  const { player, stages } = props;
  const reads = stages.filter((read) => mayAskBye(read.stage) && !isComplete(read));
  if (player.status === "withdrawn") return <Form label={say("me.return")} send={() => send(props, "withdrawal", undefined, "DELETE")} />;
  if (isOut(player)) return null;
  return (
    <>
      {reads.map((read) => (
        <Bye key={read.stage.stage} {...props} read={read} />
      ))}
      <details class="task">
        <summary>{say("me.withdraw")}</summary>
        <div class="task-body">
          <p class="quiet">{say("me.withdraw.about")}</p>
          <LeavingShown player={player.player} stages={stages} names={props.names} />
          <Form label={say("me.withdraw")} grave send={(fields) => send(props, "withdrawal", { reason: written(fields, "reason") })}>
            <Field label={say("tournament.reason")} hint={say("tournament.reason.hint")}>
              <input name="reason" required maxLength={200} />
            </Field>
          </Form>
        </div>
      </details>
    </>
  );
}

function Bye({ read, ...props }: OwnProps & { read: StageRead }): VNode {
  const { stage, rounds } = read;
  const round = (rounds.at(-1)?.round ?? lastRound(read)?.round ?? 0) + 1;
  async function ask(): Promise<string> {
    await send(props, "byes", { stage: stage.stage, round });
    return say("me.bye.asked", { number: round });
  }
  return (
    <details class="task">
      <summary>{say("me.bye", { number: round })}</summary>
      <div class="task-body">
        <p class="quiet">{say("me.bye.about", { count: Number(stage.points.bye_asked ?? 0), points: stage.points.bye_asked ?? 0 })}</p>
        <Form label={say("me.bye", { number: round })} send={ask} kept />
      </div>
    </details>
  );
}
