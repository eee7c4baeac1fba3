/** What needs those who run an event now, of what everybody may see. */
import type { Cup, Pairing } from "./cup.js";
import { lastRound, type Round, type StageRead } from "./stage_read.js";
import { roundsOfTemplate } from "./templates.js";

export type Need =
  | { kind: "start"; read: StageRead; round: Round; matches: string[] }
  | { kind: "ended"; read: StageRead; round: Round }
  | { kind: "confirm"; pairing: Pairing }
  | { kind: "candidates"; read: StageRead; round: Round }
  | { kind: "draft"; read: StageRead; number: number }
  | { kind: "close_stage"; read: StageRead }
  | { kind: "close" };

/** The most urgent first. `now` is in milliseconds. */
export function needsOf(cup: Cup, now: number): Need[] {
  const open = cup.stages.filter((read) => read.stage.status === "open" || canBegin(read, cup.stages));
  const running = open.flatMap((read) => inRound(read, now)).sort(byUrgency);
  const confirm = cup.pairings.filter(({ row }) => row.result?.final === false).map((pairing): Need => ({ kind: "confirm", pairing }));
  return [...running, ...confirm, ...open.flatMap(betweenRounds), ...atTheEnd(cup)];
}

/** Somebody waits at a table whose time is up. */
function byUrgency(one: Need, other: Need): number {
  return Number(other.kind === "ended") - Number(one.kind === "ended");
}

/** Whether a stage that is planned has its players: those whose players come from another wait for that. */
function canBegin({ stage: { status, entrants } }: StageRead, stages: readonly StageRead[]): boolean {
  if (status !== "planned") return false;
  if (typeof entrants === "string" || Array.isArray(entrants)) return true;
  return stages[entrants.stage - 1]?.stage.status === "closed";
}

function inRound(read: StageRead, now: number): Need[] {
  const round = lastRound(read);
  if (round === undefined || round.status !== "published") return [];
  const waiting = round.pairings.filter((one) => one.status === "waiting").flatMap((one) => one.matches.slice(-1));
  const needs: Need[] = [];
  if (waiting.length > 0 && read.stage.round.start === "by_hand") needs.push({ kind: "start", read, round, matches: waiting });
  if (round.ends !== null && Date.parse(round.ends) <= now) needs.push({ kind: "ended", read, round });
  return needs;
}

function betweenRounds(read: StageRead): Need[] {
  const last = lastRound(read);
  if (last?.status === "published") return [];
  const needs: Need[] = [];
  if (last !== undefined && mayNameCandidates(last)) needs.push({ kind: "candidates", read, round: last });
  if (!isComplete(read)) needs.push({ kind: "draft", read, number: (read.rounds.at(-1)?.round ?? 0) + 1 });
  else needs.push({ kind: "close_stage", read });
  return needs;
}

/** A main match that named nobody has no death match, unless staff name who meets. */
function mayNameCandidates({ show }: Round): boolean {
  return show !== null && show.candidates?.length === 0 && show.eliminated === null;
}

function atTheEnd({ shown, stages }: Cup): Need[] {
  const isOver = shown.status === "open" && stages.length > 0 && stages.every(({ stage }) => stage.status === "closed");
  return isOver ? [{ kind: "close" }] : [];
}

/** Whether a stage has no further round, as far as its settings say. */
export function isComplete(read: StageRead): boolean {
  const { stage, slots, standings } = read;
  if (standings === null) return false;
  const here = standings.rows.filter((one) => one.status !== "eliminated").length;
  switch (stage.format) {
    case "elimination":
      return slots.length > 0 && slots.every((one) => one.winner !== null || one.players.every((player) => player === null));
    case "show":
      return here <= stage.until;
    case "shootout":
      return lastRound(read)?.pairings.length === 1;
    case "swiss":
      return stage.published >= (stage.rounds ?? roundsOfTemplate("swiss", standings.rows.length) ?? 0);
    case "round_robin":
      return stage.published >= cycles(stage.cycles, standings.rows.length, stage.groups);
    default:
      return stage.rounds !== null && stage.published >= stage.rounds;
  }
}

/** Rounds until all of the largest group have met so often. */
function cycles(often: number, players: number, groups: number): number {
  const largest = Math.ceil(players / groups);
  return often * (largest % 2 === 0 ? largest - 1 : largest);
}
