/** What a round is called: one name for it, wherever it is shown. */
import { say } from "../given.js";
import { matchName, type Slot } from "./bracket.js";
import type { Cup } from "./cup.js";
import { stageName } from "./stage_names.js";
import type { Round } from "./stage_read.js";

/** The final, semi-finals and quarter-finals of a knockout by these names, an episode as one, else a round by its number. */
export function roundName({ round, show, pairings }: Pick<Round, "round" | "show" | "pairings">, slots: readonly Slot[]): string {
  if (show !== null) return say("show.episode", { number: round });
  const names = pairings.map((one) => matchName(slots, one.players));
  if (names.includes("final")) return say("stage.bracket.final");
  if (names.includes("one_semi")) return say("stage.bracket.semi");
  if (names.includes("one_quarter")) return say("stage.bracket.quarter");
  return say("tournament.round", { number: round });
}

/** The stage and the round of a match; of one beside all stages the round behind the earlier matches of its players. */
export function roundOfMatch({ stages }: Pick<Cup, "stages">, { match, round }: { match: string; round: number }): string {
  for (const { stage, rounds, slots } of stages) {
    const found = rounds.find((one) => one.pairings.some((each) => each.matches.includes(match)) || one.show?.death.includes(match));
    if (found !== undefined) return `${stageName(stage.name)}, ${roundName(found, slots)}`;
  }
  return say("tournament.round", { number: round });
}
