/** What a player has to do next, of what everybody may see of a tournament. */
import type { Schemas } from "@arbiter/client";
import { lastRound, type Round, type Stage, type StageRead } from "./stage_read.js";

export type Next =
  | { kind: "table"; stage: Stage; round: Round; pairing: Schemas["ShownPairing"]; opponents: number[] }
  | { kind: "death"; stage: Stage; round: Round; match: string; opponents: number[] }
  | { kind: "bye"; stage: Stage; round: Round; bye: Schemas["Bye"] }
  | { kind: "choose"; stage: Stage; round: Round; until: string; among: number[] }
  | { kind: "awaits_choice"; stage: Stage; round: Round; chooser: number };

/** In every round that is open; nothing while the next one is not published. */
export function nextOf(player: number, stages: readonly StageRead[]): Next[] {
  return stages.flatMap((read) => {
    const round = lastRound(read);
    if (read.stage.status !== "open" || round === undefined || round.status !== "published") return [];
    return [...inShow(player, read.stage, round), ...atTable(player, read.stage, round)];
  });
}

function atTable(player: number, stage: Stage, round: Round): Next[] {
  const pairing = round.pairings.find((one) => one.players.includes(player));
  const bye = round.byes.find((one) => one.player === player);
  if (bye !== undefined) return [{ kind: "bye", stage, round, bye }];
  if (pairing === undefined || (round.show !== null && pairing.status === "final")) return [];
  return [{ kind: "table", stage, round, pairing, opponents: pairing.players.filter((one) => one !== player) }];
}

/** What follows the main match of an episode. */
function inShow(player: number, stage: Stage, round: Round): Next[] {
  const { show } = round;
  if (show === null || show.eliminated !== null) return [];
  const met = duelOf(round);
  const match = show.death.at(-1);
  if (met.includes(player) && match !== undefined) {
    return [{ kind: "death", stage, round, match, opponents: met.filter((one) => one !== player) }];
  }
  if (show.choice_until === null || show.opponent !== null || show.chooser === null) return [];
  if (show.chooser === player) return [{ kind: "choose", stage, round, until: show.choice_until, among: choosable(round) }];
  return choosable(round).includes(player) ? [{ kind: "awaits_choice", stage, round, chooser: show.chooser }] : [];
}

/** The two who meet in the death match of a round, as far as they are known. */
export function duelOf({ show }: Pick<Round, "show">): number[] {
  if (show === null) return [];
  const chosen = show.chooser === null ? [] : [show.chooser, ...(show.opponent === null ? [] : [show.opponent])];
  return chosen.length > 0 ? chosen : (show.candidates ?? []);
}

/** Whom the candidate may choose: everybody of the round who is not immune. */
export function choosable({ pairings, show }: Pick<Round, "pairings" | "show">): number[] {
  if (show === null) return [];
  const immune = show.immune ?? [];
  return pairings.flatMap((one) => one.players).filter((player) => player !== show.chooser && !immune.includes(player));
}

/** Whether a player can ask for a bye in the next round. */
export function mayAskBye({ format, byes_asked: most, status }: Stage): boolean {
  return status === "open" && most > 0 && BYES.includes(format);
}

const BYES = ["swiss", "round_robin", "by_hand"];
