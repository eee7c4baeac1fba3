/** The story of an elimination show, player by player and episode by episode. */
import { duelOf } from "./mine.js";
import type { Round } from "./stage_read.js";

/** What an episode was for a player; null for who was out before. */
export type Part = "immune" | "duel" | "out" | "safe" | null;

export interface Story {
  player: number;
  parts: Part[];
}

/** Everybody who was in the first episode: who is in the longest stands first, those who left last before those who left first. */
export function storiesOf(rounds: readonly Round[]): Story[] {
  const players = rounds[0]?.pairings.flatMap((one) => one.players) ?? [];
  const stories = players.map((player) => ({ player, parts: rounds.map((round) => partIn(round, player)) }));
  const lasted = ({ parts }: Story): number => parts.filter((one) => one !== null && one !== "out").length + Number(!parts.includes("out"));
  return stories.sort((one, other) => lasted(other) - lasted(one) || one.player - other.player);
}

function partIn(round: Round, player: number): Part {
  const { pairings, show } = round;
  if (!pairings.some((one) => one.players.includes(player))) return null;
  if (show?.eliminated === player) return "out";
  if (show?.immune?.includes(player)) return "immune";
  return duelOf(round).includes(player) ? "duel" : "safe";
}
